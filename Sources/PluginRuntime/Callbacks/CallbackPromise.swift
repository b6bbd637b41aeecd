import CPromise
import Synchronization

/// The promise of a function that completes by calling back.
///
/// The callbacks that can settle it hold it. If the last of them is released without a call, the promise is rejected.
final class CallbackPromise: Sendable {
  // Sound: a handle may be used on any thread.
  private nonisolated(unsafe) let promise: OpaquePointer
  private let callbacks = Mutex<[(source: CallbackSource, callback: Callback)]>([])

  /// Makes a pending promise; `nil` if memory has run out.
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

  /// Returns the promise. The caller owns the reference.
  func takePromise() -> OpaquePointer {
    promise_retain(promise)
    return promise
  }

  /// Adds a callback that can settle the promise.
  func add(_ callback: Callback, _ source: CallbackSource) { callbacks.withLock { $0.append((source, callback)) } }

  /// Ends the callbacks of a function that has reported failure: the promise will not be settled.
  func cancel() { end { _ in true } }

  private func end(_ isMeant: (CallbackSource) -> Bool) {
    let ended = callbacks.withLock { callbacks in
      defer { callbacks = [] }
      return callbacks
    }
    for (source, callback) in ended where isMeant(source) { callback.end(quietly: true) }
  }

  /// Settles the promise when one of its callbacks is called. Later calls are ignored; a second call of a @once
  /// callback is reported.
  func settle(_ source: CallbackSource, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?) {
    // A discarded promise ignores its outcome.
    if promise_state(promise) == PROMISE_PENDING {
      var (value, isFulfilled) = source.conversion.outcome(arguments, for: source)
      if isFulfilled {
        promise_resolve(promise, &value)
      } else {
        promise_reject(promise, &value)
      }
    }
    end { $0 !== source || source.type.scope == .settled }
  }
}
