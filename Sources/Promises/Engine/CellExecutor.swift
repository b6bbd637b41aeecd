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
    ref.cell.pointee.function = unsafeBitCast(submit, to: UnsafeMutableRawPointer.self)
    ref.cell.pointee.context = context.pointer
    ref.cell.pointee.free = context.free
    return CellExecutor(ref)
  }

  func submit(_ job: Job) {
    let submit = unsafeBitCast(ref.cell.pointee.function, to: Submit.self)
    submit(ref.cell.pointee.context, UnsafeMutableRawPointer(bitPattern: UInt(job.ref.token.bits)).unsafelyUnwrapped)
  }
}
