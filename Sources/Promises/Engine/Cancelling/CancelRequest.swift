import Synchronization

// Cancelling is cooperative. A promise whose cancellation is requested stays pending: its cancel-request handlers, if
// any, may settle it. The request propagates upstream to its source if no one else is interested in the source:
//
//   - each reaction whose interest counts has a promise that was asked to cancel or settled in another way
//     (Interest.swift), and
//   - one reference is left, that of the settler (the list that a derived promise is in, its job, or a producer), or
//     the promise is sealed.
//
// Either condition may become true last: a request checks at once, and so does the release that leaves one reference
// (Cell.release).
extension CellRef {
  /// Whether cancellation of the pending promise was requested, or it is cancelled.
  package var isCancelRequested: Bool {
    let state = self.state
    return state.isSettled ? isCancelled : state.isCancelRequested
  }

  /// Whether the settled promise was cancelled: rejected as by discard().
  var isCancelled: Bool { outcome.isRejected && value.kind == ValueKind.discarded.rawValue }

  /// Requests cancellation of the promise, once, if it is pending; then of its sources upstream, as far as no one else
  /// is interested in them. The handlers get the reason, which is borrowed, and run before this returns. The caller
  /// must have a reference.
  package func requestCancel(_ reason: CellValue = .void) {
    var work = CancelWork()
    requestCancel(reason, leaving: &work)
    work.finish(reason)
  }

  /// Requests cancellation, and adds the gathers and links that remain to the work list.
  @inline(never)
  func requestCancel(_ reason: CellValue, leaving work: inout CancelWork) {
    guard var source = acceptCancelRequest(reason, leaving: &work) else { return }
    // A loop, because chains are long. This call has a reference of its own to each promise on the way.
    while source.withdrawInterest() == .last && source.hasNoOtherHolder {
      let next = source.acceptCancelRequest(reason, leaving: &work)
      source.releaseBorrowed()
      guard let next else { return }
      source = next
    }
    source.releaseBorrowed()
  }

  /// Stops counting references to the promise as interest: from now on only its reactions keep it from being cancelled.
  /// Requests cancellation if only references blocked a waiting request.
  package func seal() {
    guard hold() == .held else { return }
    setFlags(CellState.Pending.sealed)
    unhold()
    propagateWaitingRequest()
  }

  /// Propagates a request that was made before this promise got its present source.
  func propagateCancelRequest() {
    guard let source = retainedSource() else { return }
    propagateCancelRequest(to: source)
    source.releaseBorrowed()
  }

  /// Propagates a request that was made for this promise to its source, present or future. The caller must have a
  /// reference to the source.
  func propagateCancelRequest(to source: CellRef) {
    guard source.withdrawInterest() == .last && source.hasNoOtherHolder else { return }
    let reason = cancelReason()
    source.requestCancel(reason)
    reason.release()
  }

  /// Settles this derived promise before its source; then requests cancellation of the source if no one else is
  /// interested.
  func leaveSource(_ settle: () -> SettleStatus) {
    let source = retainedSource()
    let status = settle()
    guard let source else { return }
    if status == .settled && source.withdrawInterest() == .last && source.hasNoOtherHolder { source.requestCancel() }
    source.release()
  }

  /// Releases a reference to the source of a promise that was discarded. Requests cancellation of the source if only
  /// that reference blocked a waiting request.
  func releaseLeftSource() {
    propagateWaitingRequest()
    release()
  }

  /// Requests cancellation of this promise if a request waits for the end of interest in it, and no interest is left.
  func propagateWaitingRequest() {
    guard state.isDetaching, hasNoOtherHolder, hold() == .held else { return }
    guard isWithdrawnWhileHeld && isWithoutInterest() else { return unhold() }
    unholdAndRequestCancel()
  }

  /// Ends the hold of this promise, which lost all interest, and requests its cancellation. The reason is that of a
  /// request for one of the promises derived from it.
  func unholdAndRequestCancel() {
    let reason = withdrawnReason()
    unhold()
    requestCancel(reason)
    reason.release()
  }

  /// Whether only this call and the settler have references to the promise, or references do not count.
  private var hasNoOtherHolder: Bool {
    let references = acquiredLife & Life.referencesMask
    return references <= 2 || state.isSealed
  }

  /// Marks the promise and runs its cancel-request handlers. Returns its source, with a reference for the caller, if
  /// the request concerns the source.
  @inline(never)
  private func acceptCancelRequest(_ reason: CellValue, leaving work: inout CancelWork) -> CellRef? {
    guard hold() == .held else { return nil }
    let old = becomeCancelRequested()
    guard !old.isCancelRequested else {
      unhold()
      return nil
    }
    keepCancelReason(reason)
    // From now on the release that leaves only the settler's reference may abandon the promise.
    if old.source != 0 { watch() }
    let handlers = takeCancelHandlers(newest: old.head)
    // Read before the handlers run. A handler may settle this promise, which does not stop the request from propagating
    // upstream, and may release its last reference.
    let source = heldSource()
    let ofMaker = heldCancelRequest
    unhold()
    ofMaker?()
    runCancelHandlers(handlers, reason, leaving: &work)
    return source
  }

  /// The source of this promise, with a reference for the caller; nil if there is none or requests do not concern it.
  func retainedSource() -> CellRef? {
    guard hold() == .held else { return nil }
    defer { unhold() }
    return heldSource()
  }

  /// The result of retainedSource(), for a promise that is held.
  private func heldSource() -> CellRef? {
    let index = state.source
    guard index != 0, propagatesRequests else { return nil }
    return retained(index)
  }
}
