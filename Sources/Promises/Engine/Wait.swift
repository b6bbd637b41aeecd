import CPlatform
import Synchronization

/// The result of a wait.
package enum WaitResult {
  case settled, timedOut, deadlock
  /// A signal handler ran on the waiting thread.
  case interrupted
}

extension Settlement {
  /// Whether this thread is settling a promise.
  fileprivate static var isUnderWay: Bool { unsafe platform_thread().pointee.activation != nil }
}

/// The deadline of a wait, and the times at which it checks for a deadlock.
///
/// A promise may come to depend on work of the waiting thread after that thread fell asleep. So a thread that settles
/// or drives something repeats the check, at growing intervals.
struct WaitLimit {
  private let deadline: Int64
  private var nextLook: Int64 = .max
  private var interval: Int64 = 1_000_000

  /// `nanoseconds`: the time limit; negative: unlimited.
  init(nanoseconds: Int64) {
    deadline = nanoseconds < 0 ? -1 : CellTimer.deadline(after: nanoseconds)
    if WaitLimit.looks() { nextLook = CellTimer.deadline(after: interval) }
  }

  /// Whether a wait of this thread, which runs `loop` meanwhile, could end in a deadlock.
  static func looks(running loop: EventLoop? = nil) -> Bool {
    Settlement.isUnderWay || DrivenWork.exists(outside: loop) || ForkedChild.isThisProcess
  }

  var isOver: Bool { deadline >= 0 && platform_now() >= deadline }

  /// The time until which to sleep.
  var next: Int64 { nextLook == .max ? deadline : deadline < 0 ? nextLook : min(deadline, nextLook) }

  /// Whether the next check for a deadlock is due.
  mutating func isTimeToLook() -> Bool {
    guard nextLook != .max, platform_now() >= nextLook else { return false }
    interval = min(interval * 2, 256_000_000)
    nextLook = CellTimer.deadline(after: interval)
    return true
  }
}

extension CellRef {
  /// Blocks until the promise is settled. `nanoseconds`: the time limit; negative: unlimited; 0: poll.
  /// `isInterruptible`: a signal handler that runs on this thread ends the wait, too.
  package func wait(nanoseconds: Int64, isInterruptible: Bool = false) -> WaitResult {
    if seenState.isSettled { return .settled }
    noteReader()
    if nanoseconds == 0 { return .timedOut }
    if isHeldUpByThisThread() { return unlessSettled }
    var limit = WaitLimit(nanoseconds: nanoseconds)
    // The futex word must not be recycled during the wait.
    let retained = retain()
    defer { if retained { release() } }
    while true {
      let current = seenState
      if current.isSettled { return .settled }
      if limit.isOver { return .timedOut }
      if limit.isTimeToLook() && isHeldUpByThisThread() { return unlessSettled }
      guard current.isWaited else {
        becomeWaited()
        continue
      }
      // The futex is the lower half of the word, which has all flags. A reaction attached meanwhile changes it too;
      // that causes a spurious wake-up.
      let deadline = limit.next < 0 && isInterruptible ? .max : limit.next
      Pool.beginBlocking()
      let wasInterrupted = unsafe !platform_futex_wait(
        UnsafeRawPointer(cell), UInt32(truncatingIfNeeded: current.bits), deadline)
      Pool.endBlocking()
      if wasInterrupted && isInterruptible { return seenState.isSettled ? .settled : .interrupted }
    }
  }

  /// A deadlock, unless the promise was settled meanwhile.
  private var unlessSettled: WaitResult { state.isSettled ? .settled : .deadlock }

  /// Wakes the threads that wait for the promise, which is settled now.
  @inline(never)
  func wake() {
    unsafe platform_futex_wake_all(UnsafeRawPointer(cell))
    wakeWaitersForAny()
  }

  /// Whether only this thread could settle the promise, so that it stays pending while the thread sleeps, or runs
  /// `loop`. In a child of fork() that holds for any promise while this is the only thread.
  func isHeldUpByThisThread(running loop: EventLoop? = nil) -> Bool {
    isHeldUpBySettlement || DrivenWork.holdsUp(self, outside: loop) || ForkedChild.isAlone
  }

  /// Whether the promise depends, through its sources, on a settlement in progress on this thread.
  private var isHeldUpBySettlement: Bool {
    var activation = unsafe platform_thread().pointee.activation?.assumingMemoryBound(to: Activation.self)
    while let here = unsafe activation {
      if unsafe isHeldUp(by: here.pointee) { return true }
      unsafe activation = unsafe here.pointee.enclosing
    }
    return false
  }

  private func isHeldUp(by here: Activation) -> Bool {
    if let running = unsafe here.running, waits(for: running) { return true }
    var rest = unsafe here.rest
    var owner = unsafe here.owner
    while let held = owner {
      if waits(for: held) { return true }
      if let target = held.notedTarget, waits(for: target) { return true }
      rest = held.next
      owner = held.enclosingOwner
    }
    if unsafe (here.root.lifeWord ^ here.life) >> Life.generationShift == 0 { return unsafe waits(for: here.root) }
    // The root was destroyed, and its cell may be recycled by an unrelated promise. The remaining reactions still
    // exist.
    while rest != 0 {
      let reaction = CellRef(index: rest)
      if waits(for: reaction) { return true }
      rest = reaction.next
    }
    return false
  }
}
