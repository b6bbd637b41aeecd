import Promises
import Synchronization

/// A call as work of its host, until it has ended, which is noted once.
final class CallUse: Sendable {
  private let activity: HostActivity
  private let isOver = Atomic<Bool>(false)

  /// `nil` if nothing may begin any more.
  init?(_ activity: HostActivity) {
    guard activity.begin() else { return nil }
    self.activity = activity
  }

  func end() {
    if !isOver.exchange(true, ordering: .relaxed) { activity.end() }
  }

  /// Ends the use with the promise of a call, without being a reader of it or handling its rejection.
  func end(with promise: Promise<PluginValue>) {
    let isAttached = promise.cell.react(isHeld: false, isReader: false, rejections: .ignored) { _, _, _ in
      self.end()
      return .leave
    }
    if isAttached == nil { end() }
  }
}
