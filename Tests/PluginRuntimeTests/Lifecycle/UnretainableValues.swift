import CPromise
import Testing

@testable import PluginRuntime

/// Values that cannot be retained: forged ones here; those with too many references take a second to make.
@Suite("Values that cannot be retained")
struct UnretainableValues {
  private static var forged: promise_value_t {
    var value = promise_value_t()
    value.kind = promise_kind_t(PROMISE_KIND_STRING)
    return value
  }

  @Test("an outcome that cannot be retained rejects the promise of the call", arguments: [false, true])
  func outcome(isRejection: Bool) throws {
    let promise = try #require(promise_new())
    defer { promise_release(promise) }
    try #require(promise_retain(promise) == PROMISE_OK)
    let destination = ABIDestination(takingOver: promise)
    var value = Self.forged
    if isRejection { destination.reject(with: &value) } else { destination.fulfil(with: &value) }
    #expect(promise_state(promise) == PROMISE_REJECTED)
    var reason = promise_value_t()
    #expect(promise_result(promise, &reason) == PROMISE_OK)
    #expect(promise_value_code(&reason) == Int64(PROMISE_ENOMEM))
    promise_value_release(&reason)
  }

  @Test("a reason that cannot be retained is nil, and leaves no promise")
  func reason() async {
    // In a process of its own: other tests make millions of promises.
    await #expect(processExitsWith: .success) {
      func pending() -> UInt64 {
        var statistics = promise_statistics_t()
        statistics.size = UInt32(MemoryLayout<promise_statistics_t>.size)
        return promise_statistics(&statistics) == PROMISE_OK ? statistics.promises_pending : .max
      }
      let before = pending()
      for _ in 0..<100_000 { #expect(UnretainableValues.forged.reason == nil) }
      #expect(pending() < before + 50_000)
    }
  }
}
