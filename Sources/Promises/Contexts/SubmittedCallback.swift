/// A callback that a handler holds until it submits the callback to a context. From then on the job alone holds it, so
/// it is released where it ran.
///
/// Not thread-safe: a handler runs once.
package final class SubmittedCallback<Callback> {
  private var callback: Callback?

  package init(_ callback: consuming Callback) { self.callback = consume callback }

  /// Returns the callback, once.
  package func take() -> Callback? {
    defer { callback = nil }
    return callback
  }
}
