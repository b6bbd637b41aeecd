import CPlatform
import Synchronization

/// How a wait ended.
package enum WaitResult {
  case settled, timedOut, deadlock
}

extension CellRef {
  /// Blocks until the promise is settled, for at most so many nanoseconds; negative: for ever; 0 only looks.
  package func wait(nanoseconds: Int64) -> WaitResult {
    if state.isSettled { return .settled }
    if nanoseconds == 0 { return .timedOut }
    if isHeldUpByThisThread { return .deadlock }
    let now = platform_now()
    let deadline = nanoseconds < 0 ? -1 : now.addingReportingOverflow(nanoseconds).overflow ? .max : now + nanoseconds
    // The word that is slept on must not become another promise's.
    let retained = retain()
    defer { if retained { release() } }
    while true {
      let current = unsafe CellState(cell.pointee.state.load(ordering: .acquiring))
      if current.isSettled { return .settled }
      if deadline >= 0 && platform_now() >= deadline { return .timedOut }
      guard current.isWaited else {
        unsafe cell.pointee.state.bitwiseOr(CellState.waited, ordering: .relaxed)
        continue
      }
      // The lower half of the word, which has all flags. A reaction attached meanwhile changes it too: then this just
      // looks again.
      Pool.beginBlocking()
      unsafe platform_futex_wait(UnsafeRawPointer(cell), UInt32(truncatingIfNeeded: current.bits), deadline)
      Pool.endBlocking()
    }
  }

  /// Wakes the threads that wait for the promise, which is settled now.
  @inline(never)
  func wake() {
    unsafe platform_futex_wake_all(UnsafeRawPointer(cell))
  }

  /// Whether the promise waits, by way of its sources, for something that this thread is in the middle of, so that it
  /// could not be settled while the thread sleeps.
  private var isHeldUpByThisThread: Bool {
    var activation = unsafe platform_thread().pointee.activation?.assumingMemoryBound(to: Activation.self)
    while let here = unsafe activation {
      if let running = unsafe here.pointee.running, waits(for: running) { return true }
      if unsafe waits(for: here.pointee.root) { return true }
      var owner = unsafe here.pointee.owner
      while let held = owner {
        if waits(for: held) { return true }
        owner = held.enclosingOwner
      }
      unsafe activation = unsafe here.pointee.enclosing
    }
    return false
  }
}
