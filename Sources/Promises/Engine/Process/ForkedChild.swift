import CPlatform
import Synchronization

// A child of fork() has a copy of everything, and one thread. What that thread can do goes on; what other threads were to
// do is the parent's: jobs and timers of the pools are left to it (Pool.forget, Clock.forget), and new ones find threads
// of the child's own. Locks and monitors are free in the child (platform_fork.h); what other threads had of single cells
// is given back here.

/// Written when the process has one thread.
nonisolated(unsafe) private var hasForked = false

/// What there is to know of this process, if it is such a child.
enum ForkedChild {
  /// Whether this process is one.
  static var isThisProcess: Bool { unsafe hasForked }

  /// Has each child of this process begin so. Not where globals lie behind locks of the Swift runtime, as they do in what is
  /// not optimised: one that another thread had is never given up in the child, which could not even exec.
  static func prepare() {
    #if hasFeature(Embedded) || !DEBUG
    platform_at_fork { ForkedChild.begin() }
    #endif
  }

  private static func begin() {
    unsafe hasForked = true
    if platform_forked_from_many() {
      letGoOfAll()
      Settlement.resumeSubmitting()
    }
    WaitingThreads.forgetOthers()
    CellExecutor.resumeMain()
  }

  /// Whether nobody but the calling thread is there who could settle anything: every other thread is the library's, and
  /// has nothing to do. Never true where that cannot be known, and in processes that are no children of fork().
  static var isAlone: Bool {
    guard isThisProcess else { return false }
    let others = platform_own_threads() - (platform_is_own_thread() ? 1 : 0)
    guard platform_process_threads() == others + 1 else { return false }
    if others == 0 { return true }
    // Work goes from the one to the other. If none had any when it was asked, and none came to any of them meanwhile,
    // there was none.
    guard let jobs = Pool.submittedToIdle, let timers = Clock.addedToIdle else { return false }
    return jobs == Pool.submittedToIdle && timers == Clock.addedToIdle && jobs == Pool.submittedToIdle
  }
}

extension ForkedChild {
  /// Gives back what other threads had of single cells.
  private static func letGoOfAll() {
    for index in 1..<max(UInt32(truncatingIfNeeded: Slab.committed.load(ordering: .relaxed)), 1) {
      let ref = CellRef(index: index)
      switch unsafe ref.cell.pointee.life.load(ordering: .relaxed) & Life.kindMask {
      case CellKind.promise.rawValue << Life.kindShift: ref.letGoOfPromise()
      case CellKind.other.rawValue << Life.kindShift where ref.subkind == .cancelToken:
        CancelToken(ref).unlock()
      default: break
      }
    }
  }
}

extension CellRef {
  /// Nobody holds the promise, nor is about to publish its outcome.
  fileprivate func letGoOfPromise() {
    let state = self.state
    if state.isSettled && state.isSubmitting {
      unsafe cell.pointee.state.bitwiseAnd(~CellState.submitting, ordering: .relaxed)
    }
    guard !state.isSettled, state.bits & (CellState.held | CellState.claimed) != 0 else { return }
    var gone: UInt64 = 0
    // How far a look through its reactions had come is not known: the next one begins anew.
    if state.bits & CellState.held != 0 { gone |= CellState.held | CellState.tallied }
    // These two are claimed by whoever runs them, and never settled.
    if reactionKind != .cancelHandler && reactionKind != .input { gone |= CellState.claimed }
    unsafe cell.pointee.state.bitwiseAnd(~gone, ordering: .relaxed)
  }
}
