import Promises
import Synchronization

/// One call of a function in another process, from its frame until its answer.
final class WorkerCall: Sendable {
  private struct State {
    var promise: Promise<PluginValue>?
    /// Follows `promise`, for calls that came before it.
    var expected: Promise<PluginValue>?
    var isCancelled = false
    var isTaken = false
  }

  private let state = Mutex(State())

  /// Whether another call takes the result.
  var isTaken: Bool { state.withLock { $0.isTaken } }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Notes that another call will take the result.
  func expect() { state.withLock { $0.isTaken = true } }

  /// The result, for another call of the same process.
  var result: Promise<PluginValue> {
    let known = state.withLock { state in
      state.isTaken = true
      return state.promise ?? state.expected
    }
    if let known { return known }
    // With no lock held: a trace calls a closure of the plugin's.
    let expected = Promise<PluginValue>()
    return state.withLock { state in
      if let result = state.promise ?? state.expected { return result }
      state.expected = expected
      return expected
    }
  }

  /// The function has returned, or runs elsewhere, or is not called.
  func begin(_ promise: Promise<PluginValue>) {
    let (expected, isCancelled) = state.withLock { state in
      state.promise = promise
      return (state.expected, state.isCancelled)
    }
    if let expected { promise.then({ expected.resolve($0) }, { expected.reject($0) }) }
    if isCancelled { promise.discard() }
  }

  func cancel() {
    let promise = state.withLock { state in
      state.isCancelled = true
      return state.promise
    }
    promise?.discard()
  }
}
