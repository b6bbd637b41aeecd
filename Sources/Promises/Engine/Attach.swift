import Synchronization

extension CellRef {
  /// Attaches a reaction to this promise, or runs it at once if the promise is settled. Takes over the reaction's
  /// reference; the caller must be the only one to know the reaction.
  @inline(__always)
  package func deliver(to reaction: CellRef) {
    if attach(reaction) == .settled { runAtOnce(reaction) }
  }

  /// Runs a reaction to this settled promise, in the attaching call.
  @inline(never)
  func runAtOnce(_ reaction: CellRef) {
    var value = self.value
    let state = self.state
    let outcome = state.outcome
    if state.isUnseen && reaction.takesRejection(value) { see() }
    // The handler may release the promise.
    let retained = value.isOwning && value.retain()
    // The attaching call runs it, not the settling thread, which may still be running other reactions.
    reaction.startState()
    let result = Settlement.running(reaction, of: reaction, isCallers: true) {
      unsafe Observation.isOn
        ? reaction.reactObserved(to: &value, outcome, shared: false)
        : reaction.react(to: &value, outcome, shared: false)
    }
    switch result {
    case .idle, .settled(newest: 0): reaction.releaseUnshared()
    default: reaction.settleDownstream(result)
    }
    if retained { value.release() }
  }

  /// Releases one reference to a cell that no other thread can reach.
  @inline(__always)
  private func releaseUnshared() {
    let life = self.life
    if life & Life.referencesMask == 1 {
      release()
    } else {
      setLife(life &- 1)
    }
  }
}

// The ways to attach. Each takes ownership of the context, which is released after the handler has run, when it can no
// longer run, or when memory has run out.
extension CellRef {
  /// Returns a promise that `handler` settles once this one is fulfilled; nil when memory has run out.
  @inline(__always)
  package func then(_ handler: Handler, _ context: Context) -> NewCell? {
    guard
      let derived = unsafe CellRef.newlyDerived(
        from: self, .then, unsafeBitCast(handler, to: UnsafeMutableRawPointer.self), context)
    else {
      context.release()
      return nil
    }
    if attach(derived.ref, index: derived.token.bits & Token.indexMask) == .settled { runAtOnce(derived.ref) }
    return derived
  }

  /// Returns a promise that `handler` settles once this one is rejected with a reason of type `type`; 0: any type.
  package func rescue(type: UInt32, _ handler: Handler, _ context: Context) -> CellRef? {
    let function = unsafe unsafeBitCast(handler, to: UnsafeMutableRawPointer.self)
    guard let derived = unsafe CellRef.derived(from: self, .rescue, type: type, function, context)
    else { return outOfMemory(context) }
    deliver(to: derived)
    return derived
  }

  /// Returns a promise that the closure settles for either outcome of this one. With `returnsPromise` false it is an
  /// unheld reaction, and the closure settles nothing. The closure is a reader (OnDemand.swift), unless it does not use
  /// the outcome. `rejections`: those that count as handled; if not all of them, the closure must settle nothing.
  package func react(
    returnsPromise: Bool = true, interest: Interest = .counted, isReader: Bool = true,
    rejections: RejectionUse = .handled,
    isOwn: Bool = false, _ closure: consuming @escaping Closure
  ) -> CellRef? {
    guard
      let derived = unsafe CellRef.derived(
        from: self, .closure, nil, Context(nil, nil), interest: interest, references: returnsPromise ? 2 : 1)
    else { return nil }
    unsafe derived.closure.initialize(to: StoredClosure(consume closure))
    derived.mark(rejections.rawValue)
    if isOwn { derived.mark(CallbackReaction.own) }
    deliver(to: derived)
    if isReader { noteReader() }
    return derived
  }

  /// Returns a promise that gets the outcome of this one without a callback; nil when memory has run out.
  package func follower(interest: Interest = .counted) -> CellRef? {
    guard let derived = unsafe CellRef.derived(from: self, .follow, nil, Context(nil, nil), interest: interest)
    else { return nil }
    derived.watch()
    deliver(to: derived)
    noteReader()
    return derived
  }

  /// Calls one of the observers once this promise is settled; false when memory has run out.
  package func observe(
    _ onFulfilled: Observer?, _ onRejected: Observer?, _ context: Context, _ interest: Interest = .lasting,
    rejections: RejectionUse = .handled
  ) -> Bool {
    let function = unsafe unsafeBitCast(onFulfilled, to: UnsafeMutableRawPointer?.self)
    guard
      let reaction = unsafe CellRef.derived(from: self, .observe, function, context, interest: interest, references: 1)
    else { return outOfMemory(context) != nil }
    unsafe reaction.rejectionObserver = unsafe onRejected
    reaction.mark(rejections.rawValue)
    deliver(to: reaction)
    return true
  }

  /// Returns a promise that gets the outcome of this one after `function` was called with the context; nil when memory
  /// has run out.
  package func finally(_ function: FreeFunction, _ context: Context) -> CellRef? {
    let function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    guard let derived = unsafe CellRef.derived(from: self, .finally, function, context) else {
      return outOfMemory(context)
    }
    deliver(to: derived)
    return derived
  }

  /// Settles this promise with the outcome of `source`, unless it is settled before (clause 2.2). Others can still
  /// settle the promise, and it can be chained after several sources. `propagatesRequests`: cancel requests for it are
  /// propagated upstream to the source. False when memory has run out.
  package func chain(after source: CellRef, propagatesRequests: Bool = false) -> Bool {
    guard source != self else { return true }
    let context = unsafe Context(UnsafeMutableRawPointer(cell), nil)
    guard retain() else { return false }
    guard let link = unsafe CellRef.derived(from: source, .link, nil, context) else {
      release()
      return false
    }
    guard propagatesRequests && !state.isSettled else {
      source.deliver(to: link)
      source.noteReader()
      link.release()
      return true
    }
    // The link and its target reference each other until the target is settled or the source is destroyed.
    guard propagateRequests(to: link) else {
      link.deallocate()
      release()
      return false
    }
    if source.attach(link) == .attached {
      source.noteReader()
      return true
    }
    // The source is settled, but the link is visible: a cancel request may be propagating through it, and has left its
    // reason in the link's list.
    let value = source.value.retain() ? source.value : Fault.tooManyReferences.value
    _ = settle(value, source.seenState.outcome)
    // A call that settled this promise before the source was settled has detached the link, and with it released the
    // reference of the link.
    if link.reactionKind != .detached { release() }
    link.release()
    return true
  }

  /// Returns the cell that a context points to.
  static func from(_ context: UnsafeMutableRawPointer?) -> CellRef {
    unsafe CellRef(context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self))
  }

  @inline(never)
  private func outOfMemory(_ context: Context) -> CellRef? {
    context.release()
    return nil
  }
}
