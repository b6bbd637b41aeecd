import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: calls that wait for their start")
struct WaitingCallTests {
  @Test("a call that is discarded while it starts is stopped as soon as a worker has it")
  func discardedWhileItStarts() {
    // The call was removed from the queue before it was discarded.
    let call = WaitingCall(awaiting: [], begin: { $0.promise }, remove: { nil })
    call.start()
    call.promise.discard()
    let stops = Recorder<Int>()
    call.didStart(stop: { stops.record(1) }, requestCancel: {})
    #expect(stops.events == [1])
  }

  @Test("a call that is discarded after its start is stopped once")
  func discardedLater() {
    let call = WaitingCall(awaiting: [], begin: { $0.promise }, remove: { nil })
    let stops = Recorder<Int>()
    call.start()
    call.didStart(stop: { stops.record(1) }, requestCancel: {})
    #expect(stops.events == [])
    call.promise.discard()
    #expect(stops.events == [1])
  }

  @Test("a request to cancel a call is passed to its worker, as soon as a worker has it", arguments: [true, false])
  func requested(hasStarted: Bool) {
    let call = WaitingCall(awaiting: [], begin: { $0.promise }, remove: { nil })
    let requests = Recorder<Int>()
    call.start()
    if !hasStarted { call.promise.future.requestCancel() }
    call.didStart(stop: {}, requestCancel: { requests.record(1) })
    if hasStarted { call.promise.future.requestCancel() }
    #expect(requests.events == [1])
  }
}
