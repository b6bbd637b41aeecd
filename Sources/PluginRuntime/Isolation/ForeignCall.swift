import Promises
import Synchronization

/// A call of another plugin on behalf of a worker, from its frame until its answer.
final class ForeignCall: Sendable {
  private struct State {
    var promise: Promise<PluginValue>?
    var isCancelled = false
    var isCancelRequested = false
  }

  private let state = Mutex(State())

  /// The call is under way, and settles `promise`.
  func begin(_ promise: Promise<PluginValue>) {
    let (isCancelled, isCancelRequested) = state.withLock { state in
      state.promise = promise
      return (state.isCancelled, state.isCancelRequested)
    }
    if isCancelled {
      promise.discard()
    } else if isCancelRequested {
      promise.future.requestCancel()
    }
  }

  /// Discards the promise of the call, or lets `begin` do so.
  func cancel() {
    let promise = state.withLock { state in
      state.isCancelled = true
      return state.promise
    }
    promise?.discard()
  }

  /// Requests cancellation of the promise of the call, or lets `begin` do so.
  func requestCancel() {
    let promise = state.withLock { state in
      state.isCancelRequested = true
      return state.promise
    }
    promise?.future.requestCancel()
  }
}
