import CPlatform

// Registration of events. Each event is allocated in advance, so its arrival cannot fail.
extension CompletionQueue {
  /// The result of a call that registers an event.
  package enum Added { case added, closed, outOfMemory }

  /// Registers a SETTLED for the settlement of `source`.
  package func watch(_ source: CellRef, tag: UInt64, interest: Interest) -> Added {
    guard let reaction = reaction(to: source, .settled, tag, interest: interest, references: 1) else {
      return .outOfMemory
    }
    return deliver(source, to: reaction)
  }

  /// Registers a CALL for the settlement of `source`. Returns the promise that the taker settles, with a reference for
  /// the caller.
  package func then(_ source: CellRef, tag: UInt64) -> (promise: CellRef?, Added) {
    guard let promise = reaction(to: source, .call, tag, interest: .counted, references: 2) else {
      return (nil, .outOfMemory)
    }
    let added = deliver(source, to: promise)
    if added == .added { return (promise, added) }
    promise.release()
    return (nil, added)
  }

  private func reaction(
    to source: CellRef, _ kind: Completion.Kind, _ tag: UInt64, interest: Interest, references: UInt64
  ) -> CellRef? {
    guard let event = Completion.make(kind, tag: tag, for: self) else { return nil }
    let context = unsafe Context(UnsafeMutableRawPointer(event.ref.cell), nil)
    guard
      let reaction = unsafe CellRef.derived(
        from: source, .completion, nil, context, interest: interest, references: references)
    else {
      event.ref.release()
      return nil
    }
    event.promise = reaction
    return reaction
  }

  /// Attaches the reaction and enters its event in the table, in one step: the event cannot arrive before it is
  /// `waiting`.
  private func deliver(_ source: CellRef, to reaction: CellRef) -> Added {
    let event = reaction.completion
    let (isOpen, isAttached) = unsafe locked { state in
      guard unsafe !state.isClosed else { return (false, false) }
      guard source.attach(reaction) == .attached else { return (true, false) }
      unsafe state.table.insert(event)
      event.place = .waiting
      return (true, true)
    }
    guard isOpen else {
      // No other thread knows the reaction.
      event.ref.release()
      reaction.clearSource()
      reaction.meta = ReactionKind.orphan | ReactionKind.unheld
      reaction.release()
      return .closed
    }
    if !isAttached { source.deliver(to: reaction) }
    return .added
  }

  /// Registers a CANCEL event for a cancel request or a discard of the promise. The event arrives at once if either
  /// already happened, and becomes obsolete if the promise is settled or destroyed without one.
  package func onCancel(_ promise: CellRef, tag: UInt64) -> Added {
    if isClosed { return .closed }
    guard let event = Completion.make(.cancel, tag: tag, for: self) else { return .outOfMemory }
    let context = unsafe Context(UnsafeMutableRawPointer(event.ref.cell)) {
      unsafe Completion(CellRef.from($0)).expire()
    }
    let isAdded = unsafe promise.onCancelRequest(
      { event, reason in
        unsafe Completion(CellRef.from(event)).arrive(reason.load(as: CellValue.self))
      }, context, meta: CancelHandler.onDiscard)
    if !isAdded { event.ref.release() }
    return isAdded ? .added : .outOfMemory
  }

  /// Returns an OBJECT whose destruction appends a FREED; nil if the queue is closed or memory has run out.
  package func object(type: UInt32, tag: UInt64) -> (value: CellValue?, Added) {
    if isClosed { return (nil, .closed) }
    guard let event = Completion.make(.freed, tag: tag, for: self) else { return (nil, .outOfMemory) }
    let context = unsafe Context(UnsafeMutableRawPointer(event.ref.cell)) { event in
      let event = unsafe Completion(CellRef.from(event))
      event.arrive(.void)
      event.ref.release()
    }
    // If the value cannot be allocated, its context is released: then no event may arrive.
    event.place = .revoked
    let value = unsafe Box.object(type: type, UnsafeMutableRawPointer(bitPattern: UInt(tag)), context)
    guard value != nil else { return (nil, .outOfMemory) }
    event.place = .idle
    return (value, .added)
  }

  private var isClosed: Bool { unsafe locked { state in unsafe state.isClosed } }
}
