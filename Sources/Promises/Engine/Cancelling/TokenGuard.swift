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
    ref.value = unsafe CellValue(
      kind: .void, bits: UInt64(UInt(bitPattern: plan.onRejected)), box: token.generation)
    ref.next = token.ref.index
    unsafe ref.function = unsafe plan.onFulfilled
    ref.reactionContext = context
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

  private var token: CancelToken { CancelToken(CellRef(index: ref.next)) }

  private func pass(isRejected: Bool, _ value: UnsafeRawPointer, _ out: UnsafeMutableRawPointer) -> Int32 {
    let kept = ref.value
    guard token.generation == kept.box else {
      unsafe out.storeBytes(of: CellValue(kind: .discarded), as: CellValue.self)
      return Verdict.reject.rawValue
    }
    let function = unsafe isRejected ? kept.pointer : ref.function
    return unsafe unsafeBitCast(function, to: Handler.self)(ref.contextPointer, value, out)
  }

  private func close() {
    let token = self.token
    ref.release()
    token.ref.release()
  }
}
