import Promises
import Synchronization

/// One call of a function in another process, from its frame until its answer.
final class WorkerCall: Sendable {
  private struct State {
    var promise: Promise<PluginValue>?
    /// Settled like `promise`, for calls that asked for the result before `promise` was known.
    var promised: Promise<PluginValue>?
    var isCancelled = false
    var isTaken = false
  }

  private let state = Mutex(State())

  /// Whether another call takes the result.
  var isTaken: Bool { state.withLock { $0.isTaken } }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Notes that another call will take the result.
  func markTaken() { state.withLock { $0.isTaken = true } }

  /// The result, for another call of the same process.
  var result: Promise<PluginValue> {
    let known = state.withLock { state in
      state.isTaken = true
      return state.promise ?? state.promised
    }
    if let known { return known }
    // Made without the lock: a trace may call a closure of the plugin.
    let promised = Promise<PluginValue>()
    return state.withLock { state in
      if let result = state.promise ?? state.promised { return result }
      state.promised = promised
      return promised
    }
  }

  /// Notes the promise of the call, when the function has returned, runs on another thread, or is not called.
  func begin(_ promise: Promise<PluginValue>) {
    let (promised, isCancelled) = state.withLock { state in
      state.promise = promise
      return (state.promised, state.isCancelled)
    }
    if let promised { promise.then({ promised.resolve($0) }, { promised.reject($0) }) }
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
