import CPlatform
import Synchronization

/// Where reactions run: a cell with the function that submits a job.
///
///              function   context   free       next
///   executor   submit     its ctx   free_ctx   the executor that it stands for, by index, which its context holds
package struct CellExecutor {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// Called with the executor's context and the token of a job; sees to it that the job is run or dropped, once.
  package typealias Submit = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer) -> Void

  /// A new executor with one reference; nil when memory has run out, and the context is released then.
  package static func make(_ submit: Submit, _ context: Context) -> CellExecutor? {
    guard let ref = CellRef.allocate(.executor, references: 1) else {
      context.release()
      return nil
    }
    unsafe ref.cell.pointee.function = unsafe unsafeBitCast(submit, to: UnsafeMutableRawPointer.self)
    unsafe ref.cell.pointee.context = unsafe context.pointer
    unsafe ref.cell.pointee.free = unsafe context.free
    unsafe ref.cell.pointee.next = 0
    return CellExecutor(ref)
  }

  /// Hands a job over. It may have run, and given back its reference to the executor, before this returns.
  func submit(_ job: Job) {
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
    let index = unsafe platform_thread().pointee.executor
    return index == 0 ? nil : CellExecutor(CellRef(index: index))
  }

  /// Whether both run jobs at the same place: by the same function with the same context.
  package func isSame(as other: CellExecutor) -> Bool {
    unsafe ref.cell.pointee.function == other.ref.cell.pointee.function
      && ref.cell.pointee.context == other.ref.cell.pointee.context
  }

  /// Says that this executor only decides when to hand jobs to another one, which its context holds.
  package func standsFor(_ other: CellExecutor) { unsafe ref.cell.pointee.next = other.ref.index }

  /// A job of the executor begins on this thread. Gives what `leave` wants.
  static func enter(_ executor: CellExecutor?) -> (enclosing: UInt32, held: CellExecutor?) {
    let thread = unsafe platform_thread()
    let enclosing = unsafe thread.pointee.executor
    guard let executor else { return (enclosing, nil) }
    let held = executor.ref.retain() ? executor : nil
    let other = unsafe executor.ref.cell.pointee.next
    unsafe thread.pointee.executor = held == nil ? 0 : other == 0 ? executor.ref.index : other
    return (enclosing, held)
  }

  /// The job has ended, and all that followed from it.
  static func leave(_ place: (enclosing: UInt32, held: CellExecutor?)) {
    unsafe platform_thread().pointee.executor = place.enclosing
    place.held?.ref.release()
  }
}
