import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: calls of other plugins on behalf of a worker")
struct ForeignCallTests {
  @Test("a call that its worker cancels is discarded, as soon as it is under way", arguments: [true, false])
  func cancelled(isUnderWay: Bool) {
    let discards = Recorder<Int>()
    let promise = Promise<PluginValue>(discard: { discards.record(1) })
    let call = ForeignCall()
    if isUnderWay { call.begin(promise) }
    call.cancel()
    if !isUnderWay { call.begin(promise) }
    #expect(discards.events == [1])
  }
}
