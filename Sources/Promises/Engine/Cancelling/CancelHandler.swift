import Synchronization

// A handler of cancel requests lies in its promise's list of reactions, so it is let go of like any other when the
// promise is settled or dies. Its own cell is claimed by whoever runs it or drops it: the request, the call that attaches
// it if the request came before, or the settlement.
extension CellRef {
  /// Calls the handler when the promise is asked to cancel: now, if that has happened or the promise is cancelled.
  /// Never, if it is settled otherwise before. `function` gets the context and the reason. Takes over the context; false
  /// when memory has run out.
  package func onCancelRequest(_ function: Observer, _ context: Context) -> Bool {
    unsafe onCancelRequest(function, context, meta: 0)
  }

  /// Attaches a handler of requests to a promise that a timer makes, which has the last reference once it is unwanted.
  func onCancelRequestOfTimed(_ function: Observer, _ context: Context) -> Bool {
    watch()
    return unsafe onCancelRequest(function, context, meta: ReactionKind.ofMaker)
  }

  func onCancelRequest(_ function: Observer, _ context: Context, meta: UInt32) -> Bool {
    let function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    guard let handler = unsafe CellRef.derived(from: self, .cancelHandler, function, context, references: 2) else {
      context.release()
      return false
    }
    unsafe handler.cell.pointee.meta |= meta
    attachCancelHandler(handler) { reason in
      if handler.claim() { runCancelHandler(handler, &reason) }
    }
    return true
  }

  /// Passes a request on to a gather or a link that makes this promise (CancelWork.swift). Takes over the reference to its
  /// cell, which the caller keeps meanwhile by another. When the promise is settled, or nobody wants it any more, the
  /// gather or link leaves what it was waiting for.
  func passCancelRequests(to cell: CellRef) -> Bool {
    let context = unsafe Context(UnsafeMutableRawPointer(cell.cell), { unsafe CellRef.from($0).leaveInputs() })
    let function = unsafe UnsafeMutableRawPointer(cell.cell)
    guard let handler = unsafe CellRef.derived(from: self, .cancelHandler, function, context, references: 2) else {
      cell.release()
      return false
    }
    unsafe handler.cell.pointee.meta |= ReactionKind.passingOn | ReactionKind.ofMaker
    watch()
    attachCancelHandler(handler) { CancelWork.ask(cell, $0) }
    return true
  }

  /// Attaches a handler, with two references to it, and runs `body` if the promise has been asked to cancel already.
  private func attachCancelHandler(_ handler: CellRef, _ body: (_ reason: inout CellValue) -> Void) {
    let isAttached = attach(handler)
    if isAttached ? state.isCancelRequested : isCancelled {
      var reason = cancelReason()
      body(&reason)
      reason.release()
    }
    if !isAttached {
      handler.dropCancelHandler()
      handler.release()
    }
    handler.release()
  }

  /// This gather or link has nothing to settle any more. Gives back a reference to it.
  private func leaveInputs() {
    if isGather {
      Gather(self).leave()
    } else {
      leaveInput()
    }
    release()
  }

  var isGather: Bool {
    unsafe cell.pointee.life.load(ordering: .relaxed) & Life.kindMask == CellKind.other.rawValue << Life.kindShift
  }

  /// This input or link is not needed any more, unless it runs or ran.
  func leaveInput() {
    guard let source = retainedSource() else { return }
    source.detach(self)
    source.releaseLeft()
  }

  /// The handlers in a list of reactions, the first attached first, each with a reference for the caller. The promise
  /// is held.
  func takeCancelHandlers(newest: UInt32) -> UInt32 {
    var handlers: UInt32 = 0
    var next = newest
    while next != 0 {
      let reaction = CellRef(index: next)
      next = unsafe reaction.cell.pointee.next
      guard reaction.reactionKind == .cancelHandler, !reaction.isCancelReason, reaction.retain() else { continue }
      // Claimed here: one that settles the promise does not keep those after it from running. What passes the request on
      // has more to do when the promise ends.
      if reaction.passesOn ? unsafe CellRef.from(reaction.cell.pointee.context).retain() : reaction.claim() {
        unsafe reaction.cell.pointee.value = CellValue(kind: .pointer, bits: UInt64(handlers))
        handlers = reaction.index
      } else {
        reaction.release()
      }
    }
    return handlers
  }

  /// Runs what takeCancelHandlers() took, but for what only passes the request on: that is left to do.
  func runCancelHandlers(_ first: UInt32, _ reason: CellValue, leaving work: inout CancelWork) {
    var reason = reason
    var next = first
    while next != 0 {
      let handler = CellRef(index: next)
      next = unsafe UInt32(truncatingIfNeeded: handler.cell.pointee.value.bits)
      if handler.passesOn {
        let maker = unsafe CellRef.from(handler.cell.pointee.context)
        if !work.push(maker) {
          CancelWork.ask(maker, reason)
          maker.release()
        }
      } else {
        runCancelHandler(handler, &reason)
      }
      handler.release()
    }
  }

  /// Whether this handler passes a request on to a gather or a link.
  var passesOn: Bool { unsafe cell.pointee.meta & ReactionKind.passingOn != 0 }

  /// The handler is claimed.
  private func runCancelHandler(_ handler: CellRef, _ reason: inout CellValue) {
    let context = handler.reactionContext
    let function = unsafe unsafeBitCast(handler.cell.pointee.function, to: Observer.self)
    unsafe withUnsafePointer(to: &reason) { reason in
      Settlement.running(nil, of: self, isCallers: true) {
        unsafe function(context.pointer, reason)
        context.release()
      }
    }
  }

  /// The promise is settled: frees the handler's context, unless it runs or did. One that is for discards is called first
  /// if the promise was discarded.
  func endCancelHandler(_ value: CellValue, _ outcome: Outcome) {
    guard claim() else { return }
    let isDiscard = outcome.isRejected && value.kind == ValueKind.discarded.rawValue
    if unsafe isDiscard && cell.pointee.meta & ReactionKind.onDiscard != 0 {
      var cause = value.discardCause ?? .void
      runCancelHandler(self, &cause)
    } else {
      releaseHandlerContext()
    }
  }

  /// Lets the handler's context go, unless it runs or did.
  func dropCancelHandler() {
    if claim() { releaseHandlerContext() }
  }

  private func releaseHandlerContext() {
    // What leaves its inputs may be nested deep.
    if passesOn { reactionContext.releaseInTurn() } else { reactionContext.release() }
  }
}

// Why a promise was asked to cancel is kept in its list too, for handlers that come later: in the settled cell of a
// handler that does not exist.
extension CellRef {
  var isCancelReason: Bool { unsafe cell.pointee.function == nil }

  /// Keeps the reason while the promise is pending. The promise is held.
  func keepCancelReason(_ reason: CellValue) {
    guard reason.kind != ValueKind.void.rawValue, reason.retain() else { return }
    guard let entry = unsafe CellRef.derived(from: self, .cancelHandler, nil, Context(nil, nil), references: 1) else {
      return reason.release()
    }
    _ = entry.publish(reason, .fulfilled)
    // It is held, so it is pending.
    _ = attach(entry)
  }

  /// Why the promise was asked to cancel, or its cause if it is cancelled, as a reference of the caller's; VOID if
  /// nobody said.
  package func cancelReason() -> CellValue {
    guard hold() else {
      guard state.isSettled, let cause = value.discardCause, cause.retain() else { return .void }
      return cause
    }
    defer { letGo() }
    var next = state.head
    while next != 0 {
      let reaction = CellRef(index: next)
      next = unsafe reaction.cell.pointee.next
      if reaction.reactionKind == .cancelHandler, reaction.isCancelReason, reaction.value.retain() {
        return reaction.value
      }
    }
    return .void
  }
}
