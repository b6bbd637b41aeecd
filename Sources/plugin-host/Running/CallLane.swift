import PluginRuntime
import Synchronization

/// A thread that runs calls one after the other.
///
/// A call that was given up and does not return blocks it: the calls that wait for the thread are rejected then, and
/// so are later ones until it returns. Their time limits would never begin.
final class CallLane: Sendable {
  private let thread: SerialThread
  private let state = Mutex(State())

  private struct State {
    var isBlocked = false
    /// The calls that wait for the thread.
    var waiting: [ObjectIdentifier: TimedCall] = [:]
  }

  init(_ thread: SerialThread) {
    self.thread = thread
  }

  /// A lane with a thread of its own.
  convenience init() { self.init(SerialThread(extendsToWorkers: true)) }

  /// Runs the job of a call on the thread, unless the thread is blocked.
  func run(_ call: TimedCall, _ job: @escaping SerialThread.Job) {
    let id = ObjectIdentifier(call)
    let isBlocked = state.withLock { state in
      if !state.isBlocked { state.waiting[id] = call }
      return state.isBlocked
    }
    if isBlocked { return call.giveUp(Self.blocked) }
    thread.post { [self] in
      state.withLock { _ = $0.waiting.removeValue(forKey: id) }
      job()
    }
  }

  /// Notes whether the call that runs was given up and does not return.
  func note(isBlocked: Bool) { state.withLock { $0.isBlocked = isBlocked } }

  /// Rejects the calls that wait for the thread, if it is blocked.
  func rejectWaiting() {
    let waiting = state.withLock { state -> [TimedCall] in
      guard state.isBlocked else { return [] }
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for call in waiting { call.giveUp(Self.blocked) }
  }

  private static let blocked = CallFailure.rejected(
    message: "not called: a call before it on its thread was given up, and has not returned")
}
