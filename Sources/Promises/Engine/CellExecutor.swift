import Synchronization

/// Where reactions run: a cell with the function that submits a job.
///
///              function   context   free
///   executor   submit     its ctx   free_ctx
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
    return CellExecutor(ref)
  }

  /// Hands a job over. It may have run, and given back its reference to the executor, before this returns.
  func submit(_ job: Job) {
    let held = ref.retain()
    let submit = unsafe unsafeBitCast(ref.cell.pointee.function, to: Submit.self)
    unsafe submit(
      ref.cell.pointee.context, UnsafeMutableRawPointer(bitPattern: UInt(job.ref.token.bits)).unsafelyUnwrapped)
    if held { ref.release() }
  }
}
