/// The guard between a reaction and a handler registered under a token: the handler is called only if the token was not
/// invalidated since the registration.
///
///          value                                     next         function     context   free
///   guard  box: generation, bits: on rejection       the token    on           ctx       free_ctx
///                                                                 fulfilment
///
/// A handler that is silenced leaves its promise cancelled, unless it settles nothing.
package struct TokenGuard {
  private let ref: CellRef

  /// Puts the plan's handlers behind a guard; returns the new handlers with their context. Takes ownership of the
  /// context; nil when memory has run out.
  package static func guarding(_ plan: Job.Plan, _ context: Context, by token: CancelToken) -> (Job.Plan, Context)? {
    guard token.ref.retain() else {
      context.release()
      return nil
    }
    guard let ref = CellRef.allocate(.tokenGuard) else {
      token.ref.release()
      context.release()
      return nil
    }
    unsafe ref.cell.pointee.value = unsafe CellValue(
      kind: .void, bits: UInt64(UInt(bitPattern: plan.onRejected)), box: token.generation)
    unsafe ref.cell.pointee.next = token.ref.index
    unsafe ref.cell.pointee.function = unsafe plan.onFulfilled
    unsafe ref.cell.pointee.context = unsafe context.pointer
    unsafe ref.cell.pointee.free = unsafe context.free
    let onFulfilled: Handler = { unsafe TokenGuard.at($0).pass(isRejected: false, $1, $2) }
    let onRejected: Handler = { unsafe TokenGuard.at($0).pass(isRejected: true, $1, $2) }
    var plan = plan
    if unsafe plan.onFulfilled != nil {
      unsafe plan.onFulfilled = unsafe unsafeBitCast(onFulfilled, to: UnsafeMutableRawPointer.self)
    }
    if unsafe plan.onRejected != nil {
      unsafe plan.onRejected = unsafe unsafeBitCast(onRejected, to: UnsafeMutableRawPointer.self)
    }
    return unsafe (plan, Context(UnsafeMutableRawPointer(ref.cell), { unsafe TokenGuard.at($0).close() }))
  }

  private static func at(_ pointer: UnsafeMutableRawPointer?) -> TokenGuard {
    unsafe TokenGuard(ref: CellRef(pointer.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)))
  }

  private var token: CancelToken { unsafe CancelToken(CellRef(index: ref.cell.pointee.next)) }

  private func pass(isRejected: Bool, _ value: UnsafeRawPointer, _ out: UnsafeMutableRawPointer) -> Int32 {
    let kept = unsafe ref.cell.pointee.value
    guard token.generation == kept.box else {
      unsafe out.storeBytes(of: CellValue(kind: .discarded), as: CellValue.self)
      return Verdict.reject.rawValue
    }
    let function = unsafe isRejected ? UnsafeMutableRawPointer(bitPattern: UInt(kept.bits)) : ref.cell.pointee.function
    return unsafe unsafeBitCast(function, to: Handler.self)(ref.cell.pointee.context, value, out)
  }

  private func close() {
    let token = self.token
    ref.release()
    token.ref.release()
  }
}
