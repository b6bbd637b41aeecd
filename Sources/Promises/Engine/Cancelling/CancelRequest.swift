import Synchronization

// Cancelling is advice. A promise that is asked to cancel stays pending: its handlers of the request, if it has any, may
// settle it. The request climbs to the promise that it was derived from, if nobody else is interested in that one:
//
//   - each reaction whose interest counts has had its promise asked to cancel, or settled otherwise (Interest.swift), and
//   - there is one reference left: that of whoever will settle the promise - the list that a derived promise is in, or
//     its job, or a producer - or the promise is sealed.
//
// Either may come last: a request looks at once, and so does the release that leaves one reference (Cell.release).
extension CellRef {
  /// Whether somebody asked the pending promise to cancel, or it is cancelled.
  package var isCancelRequested: Bool {
    let state = self.state
    if state.isSettled { return isCancelled }
    return state.bits & CellState.cancelRequested != 0
  }

  /// Whether the settled promise was cancelled: rejected as by discard().
  var isCancelled: Bool { outcome.isRejected && value.kind == ValueKind.discarded.rawValue }

  /// Asks the promise to cancel, once, if it is pending; then the ones that it was derived from, as far as nobody else
  /// is interested in them. Handlers of the request get the reason, which is lent, and run before this returns. The
  /// caller has a reference.
  package func requestCancel(_ reason: CellValue = .void) {
    var work = CancelWork()
    requestCancel(reason, leaving: &work)
    work.finish(reason)
  }

  /// The same, but for what is left to do.
  func requestCancel(_ reason: CellValue, leaving work: inout CancelWork) {
    guard var source = acceptCancelRequest(reason, leaving: &work) else { return }
    // A loop, for chains are long. Each promise on the way is kept by a reference of this call's own.
    while source.desert() && source.hasNoOtherHolder {
      let next = source.acceptCancelRequest(reason, leaving: &work)
      source.releaseBorrowed()
      guard let next else { return }
      source = next
    }
    source.releaseBorrowed()
  }

  /// From now on holding the promise is no interest in it, so that interest goes with that of its reactions alone. It is
  /// asked to cancel if that was all that a request has been waiting for.
  package func seal() {
    guard hold() else { return }
    unsafe cell.pointee.state.bitwiseOr(CellState.sealed, ordering: .relaxed)
    letGo()
    passWaitingRequestOn()
  }

  /// Passes a request on that came before this promise got the source which it has now.
  func passCancelRequestOn() {
    guard let source = retainedSource() else { return }
    if source.desert() && source.hasNoOtherHolder {
      let reason = cancelReason()
      source.requestCancel(reason)
      reason.release()
    }
    source.releaseBorrowed()
  }

  /// Settles this derived promise before its source is; asks that one to cancel then, if nobody else is interested in it.
  func leaveSource(_ settle: () -> Bool) {
    let source = retainedSource()
    let isSettled = settle()
    guard let source else { return }
    if isSettled && source.desert() && source.hasNoOtherHolder { source.requestCancel() }
    source.release()
  }

  /// Gives back a reference to the source of a promise that was discarded. The source is asked to cancel if that was all
  /// that a request has been waiting for.
  func releaseLeft() {
    passWaitingRequestOn()
    release()
  }

  /// Asks this promise to cancel, for which somebody has been waiting, if nobody is interested in it any more.
  func passWaitingRequestOn() {
    guard state.bits & CellState.tallied != 0, hasNoOtherHolder, hold() else { return }
    guard isDesertedWhileHeld && isWithoutInterest() else { return letGo() }
    letGoAndAsk()
  }

  /// Lets this promise go, which is deserted, and asks it to cancel, for the reason for which somebody was asked who was
  /// interested in it.
  func letGoAndAsk() {
    let reason = deserterReason()
    letGo()
    requestCancel(reason)
    reason.release()
  }

  /// Whether nobody but this call and whoever will settle the promise holds it, or holding it does not matter.
  private var hasNoOtherHolder: Bool {
    let references = unsafe cell.pointee.life.load(ordering: .acquiring) & Life.referencesMask
    return references <= 2 || state.bits & CellState.sealed != 0
  }

  /// Marks the promise and runs its handlers of the request. Returns its source, with a reference for the caller, if the
  /// request concerns that one.
  private func acceptCancelRequest(_ reason: CellValue, leaving work: inout CancelWork) -> CellRef? {
    guard hold() else { return nil }
    let old = unsafe cell.pointee.state.bitwiseOr(CellState.cancelRequested, ordering: .relaxed).oldValue
    guard old & CellState.cancelRequested == 0 else {
      letGo()
      return nil
    }
    keepCancelReason(reason)
    // Who lets go of it now may abandon it.
    if CellState(old).source != 0 { watch() }
    let handlers = takeCancelHandlers(newest: CellState(old).head)
    // Before the handlers run: they may settle this promise, which is no reason to go on with what it was derived from,
    // and give its last reference back.
    let source = heldSource()
    letGo()
    runCancelHandlers(handlers, reason, leaving: &work)
    return source
  }

  /// The promise that this one is derived from, with a reference for the caller; nil if there is none or requests do not
  /// concern it.
  func retainedSource() -> CellRef? {
    guard hold() else { return nil }
    defer { letGo() }
    return heldSource()
  }

  /// The same, while this promise is held.
  private func heldSource() -> CellRef? {
    let index = state.source
    guard index != 0, passesRequestsOn else { return nil }
    return retained(index)
  }
}
