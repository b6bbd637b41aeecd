import Synchronization

// A cancel-request handler is in its promise's list of reactions, so it is released like any other when the promise is
// settled or destroyed. Its own cell is claimed by the call that runs or drops it: the request, the attaching call if
// the request came before, or the settlement.
//
// A handler that propagates requests is needed again when its promise is settled, so a request does not claim it. It
// marks the handler instead, with `cancelRequested`, until the gather or link has been asked. If the promise is settled
// or destroyed meanwhile, as by another handler, the gather or link still has its inputs: the request drops the handler
// at its end.
//
// A handler for the end of the request is claimed as any other, and run once the request has been propagated upstream.
//
//             value                             function         context                    free
//   handler   bits: the next that the request   Observer, or     its ctx, or the gather     free_ctx
//             has to call                       not nil          or link that it passes on to
//   reason    the reason                        nil              -                          -
struct CancelHandler: CellView {
  let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }

  /// Links the handlers that a request has taken, through the lower half of the bits of `value`.
  enum Link: CellLink {
    typealias View = CancelHandler
    static var offset: Int { Cell.valueOffset + 8 }
  }

  // Flags in `meta`.
  /// Propagates requests to a gather or a link, its context.
  static var propagating: UInt32 { 1 << 10 }
  /// Runs when the promise is discarded, too.
  static var onDiscard: UInt32 { 1 << 11 }
  /// Belongs to the maker of the promise: a gather, a link or a timer. One reference to the promise is the maker's,
  /// which uses it only to settle the promise, so it does not count as interest (Abandon.swift).
  static var ofMaker: UInt32 { 1 << 12 }
  /// Runs at the end of the request, after the handlers of all promises upstream.
  static var atEnd: UInt32 { 1 << 13 }

  var propagates: Bool { ref.meta & CancelHandler.propagating != 0 }
  var isLast: Bool { ref.meta & CancelHandler.atEnd != 0 }
  var isOfMaker: Bool { ref.meta & CancelHandler.ofMaker != 0 }
  /// The gather or link.
  var target: CellRef { ref.contextCell }

  /// Runs this handler, which the caller has claimed, and releases the caller's reference.
  func runClaimed(_ reason: inout CellValue) {
    ref.runCancelHandler(ref, &reason)
    ref.release()
  }
}

extension CellRef {
  /// Registers a handler of cancel requests. It is called at once if cancellation was requested already or the promise
  /// is cancelled, and never if the promise is settled in another way first. `function` gets the context and the
  /// reason. Takes ownership of the context; false when memory has run out.
  package func onCancelRequest(_ function: Observer, _ context: Context) -> Bool {
    let isAdded = unsafe onCancelRequest(function, context, meta: 0)
    if !isAdded { context.release() }
    return isAdded
  }

  /// Registers a handler for a promise that a timer settles; the timer has the last reference once the promise is
  /// unwanted.
  func onCancelRequestOfTimed(_ function: Observer, _ context: Context) -> Bool {
    watch()
    let isAdded = unsafe onCancelRequest(function, context, meta: CancelHandler.ofMaker)
    if !isAdded { context.release() }
    return isAdded
  }

  /// Registers a handler with flags. The caller keeps the context when memory has run out.
  func onCancelRequest(_ function: Observer, _ context: Context, meta: UInt32) -> Bool {
    let function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    guard let handler = unsafe CellRef.derived(from: self, .cancelHandler, function, context, references: 2) else {
      return false
    }
    handler.mark(meta)
    attachCancelHandler(handler) { reason in
      if handler.claim() == .won { runCancelHandler(handler, &reason) }
    }
    return true
  }

  /// Propagates cancel requests to the gather or link that settles this promise (CancelWork.swift). Takes ownership of
  /// a reference to `cell`; the caller must have another. When the promise is settled or unwanted, the gather or link
  /// detaches from its inputs.
  func propagateRequests(to cell: CellRef) -> Bool {
    let context = unsafe Context(UnsafeMutableRawPointer(cell.cell), { unsafe CellRef.from($0).leaveInputs() })
    let function = unsafe UnsafeMutableRawPointer(cell.cell)
    guard let handler = unsafe CellRef.derived(from: self, .cancelHandler, function, context, references: 2) else {
      cell.release()
      return false
    }
    handler.mark(CancelHandler.propagating | CancelHandler.ofMaker)
    watch()
    attachCancelHandler(handler) { CancelWork.ask(cell, $0) }
    return true
  }

  /// Attaches a handler, with two references to it, and runs `body` if cancellation was requested already.
  private func attachCancelHandler(_ handler: CellRef, _ body: (_ reason: inout CellValue) -> Void) {
    let isAttached = attach(handler) == .attached
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

  /// Detaches this gather or link, which has nothing left to settle, from its inputs. Releases a reference to it.
  private func leaveInputs() {
    if isGather {
      Gather(self).leave()
    } else {
      leaveInput(isTaken: false)
    }
    release()
  }

  var isGather: Bool {
    life & Life.kindMask == CellKind.other.rawValue << Life.kindShift
  }

  /// Detaches this input or link from its source, unless it runs or has run.
  func leaveInput(isTaken: Bool) {
    guard let source = retainedSource() else { return }
    source.detach(self, isTaken: isTaken)
    source.releaseLeftSource()
  }

  /// Takes the handlers of a list of reactions, in the order of attachment, each with a reference for the caller. Call
  /// with the promise held.
  func takeCancelHandlers(newest: UInt32) -> CellQueue<CancelHandler.Link> {
    var handlers = CellQueue<CancelHandler.Link>()
    for reaction in ReactionList(newest) {
      guard reaction.reactionKind == .cancelHandler, !reaction.isCancelReason, reaction.retain() else { continue }
      // Claimed or marked here, so that a handler which settles the promise does not keep the later ones from running.
      let handler = CancelHandler(reaction)
      if handler.propagates {
        reaction.setFlags(CellState.Pending.cancelRequested)
      } else if reaction.claim() == .lost {
        reaction.release()
        continue
      }
      handlers.pushFront(handler)
    }
    return handlers
  }

  /// Runs the handlers from takeCancelHandlers(); those that propagate the request, or run at its end, are added to the
  /// work list instead.
  func runCancelHandlers(
    _ handlers: consuming CellQueue<CancelHandler.Link>, _ reason: CellValue, leaving work: inout CancelWork
  ) {
    var (handlers, reason) = (handlers, reason)
    // One activation for all of them: a handler may release the last reference to this promise, whose cell may then be
    // recycled before the next handler.
    Settlement.running(nil, of: self, isCallers: true) {
      while let handler = handlers.pop() {
        if handler.propagates || handler.isLast {
          work.push(handler)
        } else {
          handler.ref.callCancelHandler(&reason)
          handler.ref.release()
        }
      }
    }
  }

  /// Runs a handler that the caller has claimed.
  fileprivate func runCancelHandler(_ handler: CellRef, _ reason: inout CellValue) {
    Settlement.running(nil, of: self, isCallers: true) { handler.callCancelHandler(&reason) }
  }

  /// Calls the function of this handler, then releases its context.
  private func callCancelHandler(_ reason: inout CellValue) {
    let context = reactionContext
    let function = unsafe unsafeBitCast(self.function, to: Observer.self)
    unsafe withUnsafePointer(to: &reason) { reason in unsafe function(context.pointer, reason) }
    context.release()
  }

  /// Releases the context of a handler whose promise is settled, unless the handler runs or has run. A handler for
  /// discards is called first if the promise was discarded.
  func endCancelHandler(_ value: CellValue, _ outcome: Outcome) {
    guard claimHandler() == .won else { return }
    let isDiscard = outcome.isRejected && value.kind == ValueKind.discarded.rawValue
    if isDiscard && meta & CancelHandler.onDiscard != 0 {
      var cause = value.discardCause ?? .void
      runCancelHandler(self, &cause)
    } else {
      releaseContextInTurn()
    }
  }

  /// Releases the handler's context, unless the handler runs or has run.
  func dropCancelHandler() {
    if claimHandler() == .won { releaseContextInTurn() }
  }

  /// Claims the handler, whose promise is settled or destroyed; `.lost` also if a request that is propagating through
  /// it drops it.
  private func claimHandler() -> Claim {
    let old = unsafe cell.pointee.state.bitwiseOr(CellState.claimed, ordering: .acquiringAndReleasing).oldValue
    return old & (CellState.claimed | CellState.Pending.cancelRequested) == 0 ? .won : .lost
  }

  /// Ends the propagation of a request through this handler. Drops the handler if its promise was settled or destroyed
  /// meanwhile.
  func endPropagation() {
    let flag = CellState.Pending.cancelRequested
    let old = unsafe cell.pointee.state.bitwiseAnd(~flag, ordering: .acquiringAndReleasing).oldValue
    if old & CellState.claimed != 0 { releaseContextInTurn() }
  }
}

// The reason of a cancel request is kept in the promise's list, too, for handlers attached later: in the settled cell
// of a handler without a function.
extension CellRef {
  var isCancelReason: Bool { unsafe function == nil }

  /// Keeps the reason while the promise is pending. Call with the promise held.
  func keepCancelReason(_ reason: CellValue) {
    guard reason.kind != ValueKind.void.rawValue, reason.retain() else { return }
    guard let entry = unsafe CellRef.derived(from: self, .cancelHandler, nil, Context(nil, nil), references: 1) else {
      return reason.release()
    }
    _ = entry.publish(reason, .fulfilled)
    // A held promise is pending, so this succeeds.
    _ = attach(entry)
  }

  /// The reason of the cancel request, or the cause of a cancelled promise, with a reference for the caller; VOID if
  /// none was given.
  package func cancelReason() -> CellValue {
    guard hold() == .held else {
      guard state.isSettled, let cause = value.discardCause, cause.retain() else { return .void }
      return cause
    }
    defer { unhold() }
    for reaction in ReactionList(state.head) {
      if reaction.reactionKind == .cancelHandler, reaction.isCancelReason, reaction.value.retain() {
        return reaction.value
      }
    }
    return .void
  }
}
