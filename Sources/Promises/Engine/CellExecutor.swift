import CPlatform
import Synchronization

/// Where reactions run: a cell with the function that submits a job.
///
///              meta           function   context                      free       next
///   executor   ExecutorKind   submit     its ctx, or what is behind   free_ctx   the executor that it stands for, by
///                                        one of the library's own                index, which its context holds
package struct CellExecutor {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// Called with the executor's context and the token of a job; sees to it that the job is run or dropped, once.
  package typealias Submit = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer) -> Void

  /// A new executor with one reference; nil when memory has run out, and the context is released then.
  package static func make(_ submit: Submit, _ context: Context, kind: ExecutorKind = .foreign) -> CellExecutor? {
    guard let ref = CellRef.allocate(.executor, references: 1) else {
      context.release()
      return nil
    }
    unsafe ref.cell.pointee.meta = kind.rawValue
    unsafe ref.cell.pointee.function = unsafe unsafeBitCast(submit, to: UnsafeMutableRawPointer.self)
    unsafe ref.cell.pointee.context = unsafe context.pointer
    unsafe ref.cell.pointee.free = unsafe context.free
    unsafe ref.cell.pointee.next = 0
    return CellExecutor(ref)
  }

  package var kind: ExecutorKind { unsafe ExecutorKind(rawValue: ref.cell.pointee.meta) }

  /// What is behind an executor of the library's own.
  var context: UnsafeMutableRawPointer? { unsafe ref.cell.pointee.context }

  /// Hands a job over. It may have run, and given back its reference to the executor, before this returns.
  package func submit(_ job: Job) {
    unsafe submit(token: UnsafeMutableRawPointer(bitPattern: UInt(job.ref.token.bits)).unsafelyUnwrapped)
  }

  /// The same, for the token of a job.
  func submit(token: UnsafeMutableRawPointer) {
    let held = ref.retain()
    let submit = unsafe unsafeBitCast(ref.cell.pointee.function, to: Submit.self)
    unsafe submit(ref.cell.pointee.context, token)
    if held { ref.release() }
  }
}

// Which executor a thread works for.
extension CellExecutor {
  /// The executor whose job runs on this thread; nil if there is none. Valid while the job runs.
  package static var running: CellExecutor? {
    guard let running = unsafe RunningExecutor.innermost?.pointee.executor else { return nil }
    let other = unsafe running.ref.cell.pointee.next
    return other == 0 ? running : CellExecutor(CellRef(index: other))
  }

  /// Whether both run jobs at the same place: by the same function with the same context.
  package func isSame(as other: CellExecutor) -> Bool {
    unsafe ref.cell.pointee.function == other.ref.cell.pointee.function
      && ref.cell.pointee.context == other.ref.cell.pointee.context
  }

  /// Says that this executor only decides when to hand jobs to another one, which its context holds.
  package func standsFor(_ other: CellExecutor) { unsafe ref.cell.pointee.next = other.ref.index }
}

/// Whose an executor is.
package struct ExecutorKind: Equatable {
  let rawValue: UInt32
  /// The user's.
  package static var foreign: ExecutorKind { ExecutorKind(rawValue: 0) }
  /// Runs jobs at once.
  package static var immediate: ExecutorKind { ExecutorKind(rawValue: 1) }
  /// A priority of the pool (Pool.swift).
  package static var pool: ExecutorKind { ExecutorKind(rawValue: 2) }
  /// One job at a time, on another executor (SerialQueue.swift).
  package static var serial: ExecutorKind { ExecutorKind(rawValue: 3) }

  /// A loop's (EventLoop.swift).
  package static var loop: ExecutorKind { ExecutorKind(rawValue: 4) }
  /// The main one (MainExecutor.swift).
  package static var main: ExecutorKind { ExecutorKind(rawValue: 5) }

  /// There is one in a process, or one for each priority, and it is never freed: its references are not counted.
  package var isPermanent: Bool { self == .immediate || self == .pool || self == .main }
}

extension Job {
  /// The job that an executor's function was given.
  init(submitted token: UnsafeMutableRawPointer) {
    ref = CellRef(index: UInt32(truncatingIfNeeded: UInt(bitPattern: token)) & UInt32(Token.indexMask))
  }
}
