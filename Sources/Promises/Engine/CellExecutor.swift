import CPlatform
import Synchronization

/// An executor of reactions: a cell with the function that submits a job.
///
///              state     meta           function   context                      free       next
///   executor   handles   ExecutorKind   submit     its ctx, or the state of a   free_ctx   the executor that it stands
///                                                  built-in executor                       for, by index, which its
///                                                                                          context holds
///
/// Handles of programs are counted apart from references, so that a release too many does not take the reference of a
/// pending job.
package struct CellExecutor {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// Called with the executor's context and the token of a job; makes sure that the job is run or dropped, exactly
  /// once.
  package typealias Submit = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer) -> Void

  /// Makes an executor with one reference; nil when memory has run out, and then the context is released.
  package static func make(_ submit: Submit, _ context: Context, kind: ExecutorKind = .foreign) -> CellExecutor? {
    guard let ref = CellRef.allocate(.executor, references: 1) else {
      context.release()
      return nil
    }
    ref.startState()
    ref.meta = kind.rawValue
    unsafe ref.function = unsafe unsafeBitCast(submit, to: UnsafeMutableRawPointer.self)
    ref.reactionContext = context
    ref.next = 0
    return CellExecutor(ref)
  }

  package var kind: ExecutorKind { ExecutorKind(rawValue: ref.meta) }

  /// Whether a job may run inside `submit`: on a user's executor, which may also be the substitute of the main one.
  var runsAtOnce: Bool {
    guard kind == .main else { return kind == .foreign || kind == .immediate }
    guard let other = CellExecutor.heldSubstitute else { return false }
    defer { other.ref.release() }
    return other.kind == .foreign || other.kind == .immediate
  }

  /// The state of a built-in executor.
  var context: UnsafeMutableRawPointer? { unsafe ref.contextPointer }

  /// Submits a job. The job may run, and release its reference to the executor, before this returns.
  package func submit(_ job: Job) {
    unsafe submit(token: UnsafeMutableRawPointer(bitPattern: UInt(job.ref.token.bits)).unsafelyUnwrapped)
  }

  /// Submits a job by its token.
  func submit(token: UnsafeMutableRawPointer) {
    let held = ref.retain()
    let submit = unsafe unsafeBitCast(ref.function, to: Submit.self)
    unsafe submit(context, token)
    if held { ref.release() }
  }
}

// Handles of programs. Those of permanent executors are not counted.
extension CellExecutor {
  /// Makes the caller's reference a handle.
  package func becomeHandle() -> CellExecutor {
    if !kind.isPermanent { unsafe ref.cell.pointee.state.wrappingAdd(1, ordering: .relaxed) }
    return self
  }

  /// Takes another handle.
  package func retainHandle() -> HandleRetain {
    if kind.isPermanent { return .retained }
    guard hasHandles else { return .stale }
    guard ref.retain() else { return .outOfRange }
    _ = becomeHandle()
    return .retained
  }

  /// Releases a handle with its reference.
  package func releaseHandle() -> HandleRelease {
    if kind.isPermanent { return .released }
    var handles = unsafe ref.cell.pointee.state.load(ordering: .relaxed)
    while handles != 0 {
      let (exchanged, original) = unsafe ref.cell.pointee.state.weakCompareExchange(
        expected: handles, desired: handles &- 1, ordering: .relaxed)
      if exchanged {
        ref.release()
        return .released
      }
      handles = original
    }
    return .stale
  }

  package var hasHandles: Bool {
    unsafe kind.isPermanent || ref.cell.pointee.state.load(ordering: .relaxed) != 0
  }
}

// The executor of the current thread.
extension CellExecutor {
  /// The executor whose job runs on this thread; nil if there is none. Valid while the job runs.
  package static var running: CellExecutor? {
    guard let running = unsafe RunningExecutor.innermost?.pointee.executor else { return nil }
    let other = running.ref.next
    return other == 0 ? running : CellExecutor(CellRef(index: other))
  }

  /// Whether both run jobs in the same place: through the same function with the same context.
  package func isSame(as other: CellExecutor) -> Bool {
    unsafe ref.function == other.ref.function && context == other.context
  }

  /// Declares this executor a front for another one, which its context holds: it only decides when to submit jobs
  /// there.
  package func standsFor(_ other: CellExecutor) { ref.next = other.ref.index }
}

/// The implementation behind an executor.
package struct ExecutorKind: Equatable {
  let rawValue: UInt32
  /// Provided by the user.
  package static var foreign: ExecutorKind { ExecutorKind(rawValue: 0) }
  /// Runs jobs inline.
  package static var immediate: ExecutorKind { ExecutorKind(rawValue: 1) }
  /// A priority of the pool (Pool.swift).
  package static var pool: ExecutorKind { ExecutorKind(rawValue: 2) }
  /// Runs one job at a time, on another executor (SerialQueue.swift).
  package static var serial: ExecutorKind { ExecutorKind(rawValue: 3) }

  /// Runs jobs on a loop (EventLoop.swift).
  package static var loop: ExecutorKind { ExecutorKind(rawValue: 4) }
  /// The main executor (MainExecutor.swift).
  package static var main: ExecutorKind { ExecutorKind(rawValue: 5) }

  /// Whether the executor exists once per process, or once per priority, and is never freed: its references are not
  /// counted.
  package var isPermanent: Bool { self == .immediate || self == .pool || self == .main }
}

extension Job {
  /// Finds the job by the token that an executor's function was called with.
  init(submitted token: UnsafeMutableRawPointer) {
    ref = CellRef(index: UInt32(truncatingIfNeeded: UInt(bitPattern: token)) & UInt32(Token.indexMask))
  }
}
