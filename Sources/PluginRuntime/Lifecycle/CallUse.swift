import Promises
import Synchronization

/// Counts a call as work of its host until the call has ended. `end()` is idempotent.
final class CallUse: Sendable {
  private let activity: HostActivity
  private let isOver = Atomic<Bool>(false)

  /// Begins the use; `nil` if the host accepts no more calls.
  init?(_ activity: HostActivity) {
    guard activity.begin() else { return nil }
    self.activity = activity
  }

  func end() {
    if !isOver.exchange(true, ordering: .relaxed) { activity.end() }
  }

  /// Ends the use with the promise of a call, without being a reader of it, keeping requests to cancel back, or
  /// handling its rejection.
  func end(with promise: Promise<PluginValue>) {
    let isAttached = promise.cell.react(returnsPromise: false, interest: .none, isReader: false, rejections: .ignored) {
      _, _, _ in
      self.end()
      return .leave
    }
    if isAttached == nil { end() }
  }
}
