import CPromise
import Synchronization

/// The promise of a function that calls back when it is done.
///
/// The callbacks that may settle it hold it; when the last of them goes without having been called, nothing would settle
/// the promise any more, so it is rejected.
final class Completion: Sendable {
  // A handle may be used on any thread.
  private nonisolated(unsafe) let promise: OpaquePointer
  private let callbacks = Mutex<[(source: CallbackSource, callback: Callback)]>([])

  /// `nil` for want of memory.
  init?() {
    guard let promise = promise_new() else { return nil }
    self.promise = promise
  }

  deinit {
    if promise_state(promise) == PROMISE_PENDING {
      var reason = promise_value_t()
      promise_value_error(
        &reason, "promise", Int64(PROMISE_ECLOSED), "the callback that was to settle the promise was never called")
      promise_reject(promise, &reason)
    }
    promise_release(promise)
  }

  /// A reference of the caller's.
  func takePromise() -> OpaquePointer {
    promise_retain(promise)
    return promise
  }

  /// One of the callbacks that may settle it.
  func add(_ callback: Callback, _ source: CallbackSource) { callbacks.withLock { $0.append((source, callback)) } }

  /// Nobody is to settle it: the function said so by failing.
  func cancel() { end { _ in true } }

  private func end(_ isMeant: (CallbackSource) -> Bool) {
    let ended = callbacks.withLock { callbacks in
      defer { callbacks = [] }
      return callbacks
    }
    for (source, callback) in ended where isMeant(source) { callback.end(quietly: true) }
  }

  /// One of its callbacks was called. What is called later means nothing, except that one which was to be called once is
  /// called again.
  func settle(_ source: CallbackSource, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?) {
    // Whoever discarded it does not hear of how it would have ended.
    if promise_state(promise) == PROMISE_PENDING {
      var value = promise_value_t()
      if source.crossing.complete(arguments, into: &value, for: source) {
        promise_resolve(promise, &value)
      } else {
        promise_reject(promise, &value)
      }
    }
    end { $0 !== source || source.type.scope == .settled }
  }
}
