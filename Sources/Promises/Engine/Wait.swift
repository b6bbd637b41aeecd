import CPlatform
import Synchronization

/// How a wait ended.
package enum WaitResult {
  case settled, timedOut, deadlock
  /// A signal handler ran on the waiting thread.
  case interrupted
}

extension Settlement {
  /// Whether this thread is in the middle of one.
  fileprivate static var isUnderWay: Bool { unsafe platform_thread().pointee.activation != nil }
}

/// When a wait gives up, and when it looks whether it can end at all.
///
/// A promise may come to depend on what the sleeping thread would have to do while that thread sleeps already. So a
/// thread that drives something looks again, less and less often.
struct WaitLimit {
  private let deadline: Int64
  private var nextLook: Int64 = .max
  private var interval: Int64 = 1_000_000

  /// Negative: for ever.
  init(nanoseconds: Int64) {
    deadline = nanoseconds < 0 ? -1 : CellTimer.deadline(after: nanoseconds)
    if Settlement.isUnderWay || DrivenWork.isThere || ForkedChild.isThisProcess {
      nextLook = CellTimer.deadline(after: interval)
    }
  }

  var isOver: Bool { deadline >= 0 && platform_now() >= deadline }

  /// Until when to sleep.
  var next: Int64 { nextLook == .max ? deadline : deadline < 0 ? nextLook : min(deadline, nextLook) }

  /// Whether it is time to look.
  mutating func isTimeToLook() -> Bool {
    guard nextLook != .max, platform_now() >= nextLook else { return false }
    interval = min(interval * 2, 256_000_000)
    nextLook = CellTimer.deadline(after: interval)
    return true
  }
}

extension CellRef {
  /// Blocks until the promise is settled, for at most so many nanoseconds; negative: for ever; 0 only looks. If it
  /// `isInterruptible`, a signal handler that runs on this thread ends it too.
  package func wait(nanoseconds: Int64, isInterruptible: Bool = false) -> WaitResult {
    if seenState.isSettled { return .settled }
    if nanoseconds == 0 { return .timedOut }
    if isHeldUpByThisThread { return unlessSettled }
    var limit = WaitLimit(nanoseconds: nanoseconds)
    // The word that is slept on must not become another promise's.
    let retained = retain()
    defer { if retained { release() } }
    while true {
      let current = seenState
      if current.isSettled { return .settled }
      if limit.isOver { return .timedOut }
      if limit.isTimeToLook() && isHeldUpByThisThread { return unlessSettled }
      guard current.isWaited else {
        unsafe cell.pointee.state.bitwiseOr(CellState.waited, ordering: .relaxed)
        continue
      }
      // The lower half of the word, which has all flags. A reaction attached meanwhile changes it too: then this just
      // looks again.
      let deadline = limit.next < 0 && isInterruptible ? .max : limit.next
      Pool.beginBlocking()
      let wasInterrupted = unsafe !platform_futex_wait(
        UnsafeRawPointer(cell), UInt32(truncatingIfNeeded: current.bits), deadline)
      Pool.endBlocking()
      if wasInterrupted && isInterruptible { return seenState.isSettled ? .settled : .interrupted }
    }
  }

  /// A deadlock, unless whoever was to settle the promise did that meanwhile.
  private var unlessSettled: WaitResult { state.isSettled ? .settled : .deadlock }

  /// Wakes the threads that wait for the promise, which is settled now.
  @inline(never)
  func wake() {
    unsafe platform_futex_wake_all(UnsafeRawPointer(cell))
    wakeWaitersForAny()
  }

  /// Whether this thread would have to do what settles the promise, so that it could not be settled while it sleeps.
  /// In a child of fork() this thread may be the only one that could, whatever it is.
  var isHeldUpByThisThread: Bool { isHeldUpBySettlement || DrivenWork.holdsUp(self) || ForkedChild.isAlone }

  /// Whether the promise waits, by way of its sources, for something that this thread is in the middle of.
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
      rest = unsafe held.cell.pointee.next
      owner = held.enclosingOwner
    }
    if unsafe (here.root.lifeWord ^ here.life) >> Life.generationShift == 0 { return unsafe waits(for: here.root) }
    // The root is gone, and its cell may be one that has nothing to do with this thread. Its reactions are still there.
    while rest != 0 {
      let reaction = CellRef(index: rest)
      if waits(for: reaction) { return true }
      rest = unsafe reaction.cell.pointee.next
    }
    return false
  }
}
