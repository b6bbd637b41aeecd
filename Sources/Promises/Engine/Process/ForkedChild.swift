import CPlatform
import Synchronization

// A child of fork() has a copy of the memory, and one thread. Work of that thread continues. Work of other threads
// stays in the parent: the child drops the jobs and timers of the pools (Pool.forget, Clock.forget), and starts threads
// of its own for new ones. Locks and monitors are free in the child (platform_fork.h). Locks of single cells that other
// threads held are released here.

/// Written while the process has one thread.
nonisolated(unsafe) private var hasForked = false

/// The state of this process as a child of fork().
enum ForkedChild {
  /// Whether this process is a child of fork().
  static var isThisProcess: Bool { unsafe hasForked }

  /// Registers begin() for every child of this process. Not in unoptimised builds on the Swift runtime, where globals
  /// are initialized under locks of the runtime. If another thread has such a lock during the fork, it is never
  /// released in the child, which could not even exec.
  static func prepare() {
    #if hasFeature(Embedded) || !DEBUG
    platform_at_fork { ForkedChild.begin() }
    #endif
  }

  private static func begin() {
    unsafe hasForked = true
    if platform_forked_from_many() {
      unholdAll()
      Settlement.resumeSubmitting()
    }
    WaitingThreads.forgetOthers()
    CellExecutor.resumeMain()
  }

  /// Whether only the calling thread could settle anything: all other threads are the library's, and idle. False if
  /// that cannot be determined, and in processes that are not children of fork().
  static var isAlone: Bool {
    guard isThisProcess else { return false }
    let others = platform_own_threads() - (platform_is_own_thread() ? 1 : 0)
    guard platform_process_threads() == others + 1 else { return false }
    if others == 0 { return true }
    // The pools and the clock pass work to each other. If the pools were idle and received nothing between the two
    // looks at them, work could only have been with the clock, which was idle meanwhile.
    guard let jobs = Pool.submittedToIdle, Clock.isIdle else { return false }
    return jobs == Pool.submittedToIdle
  }
}

extension ForkedChild {
  /// Releases the locks of single cells that other threads held at the fork.
  private static func unholdAll() {
    for index in 1..<max(UInt32(truncatingIfNeeded: Slab.committed.load(ordering: .relaxed)), 1) {
      let ref = CellRef(index: index)
      switch ref.life & Life.kindMask {
      case CellKind.promise.rawValue << Life.kindShift: ref.unholdPromise()
      case CellKind.other.rawValue << Life.kindShift where ref.subkind == .cancelToken:
        CancelToken(ref).unlock()
      default: break
      }
    }
  }
}

extension CellRef {
  /// Clears the flags of threads that held the promise, or were about to publish its outcome.
  fileprivate func unholdPromise() {
    let state = self.state
    if state.isSettled && state.isSubmitting {
      clearFlags(CellState.Settled.submitting)
    }
    guard !state.isSettled, state.bits & (CellState.Pending.held | CellState.claimed) != 0 else { return }
    var gone: UInt64 = 0
    // The progress of an interrupted search for interest is unknown: the next one starts over.
    if state.bits & CellState.Pending.held != 0 { gone |= CellState.Pending.held | CellState.Pending.detaching }
    // Cancel-request handlers and inputs are claimed by the call that runs them, and never settled.
    if reactionKind != .cancelHandler && reactionKind != .input { gone |= CellState.claimed }
    clearFlags(gone)
  }
}
