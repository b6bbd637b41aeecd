import Promises
import Synchronization

/// A call of another plugin on behalf of a worker, from its frame until its answer.
final class ForeignCall: Sendable {
  private struct State {
    var promise: Promise<PluginValue>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// The call is under way, and settles `promise`.
  func begin(_ promise: Promise<PluginValue>) {
    let isCancelled = state.withLock { state in
      state.promise = promise
      return state.isCancelled
    }
    if isCancelled { promise.discard() }
  }

  /// Discards the promise of the call, or lets `begin` do so.
  func cancel() {
    let promise = state.withLock { state in
      state.isCancelled = true
      return state.promise
    }
    promise?.discard()
  }
}
