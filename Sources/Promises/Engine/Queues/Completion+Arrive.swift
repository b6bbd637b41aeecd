import CPlatform
import Synchronization

// Appends events to the ready events of their queue.
extension Completion {
  /// Whether the event is entered in the queue's table.
  var isRevocable: Bool { kind == .settled || kind == .call }

  /// Appends the event, unless the queue is closed. Copies the value. The caller keeps its reference to the event.
  func arrive(_ value: CellValue) {
    guard ref.retain() else { return }
    let copy = value.retain() ? value : Fault.tooManyReferences.value
    if queue.push(self, copy, state: 0) == .appended { return }
    copy.release()
    ref.release()
  }

  /// Reports that the event asked for will not arrive, unless it has arrived or is revoked. Releases a reference to the
  /// event.
  func expire() {
    if queue.push(self, .void, state: 0, isObsolete: true) == .refused { ref.release() }
  }

  /// Makes the CALL of a promise that was settled by another party obsolete: a ready CALL keeps its place in the queue.
  /// If the source is being settled, the settling thread appends the obsolete event.
  fileprivate func makeObsolete() {
    let owned: (value: CellValue, promise: CellRef?)? = unsafe queue.locked { _ in
      guard place == .idle || place == .waiting || place == .ready else { return nil }
      kind = .obsolete
      guard place == .ready else { return nil }
      defer { (value, promise, outcomeState) = (.void, nil, 0) }
      return (value, promise)
    }
    owned?.value.release()
    owned?.promise?.release()
  }

  /// Releases all that a ready event owns, and the event.
  func releaseReady() {
    value.release()
    if kind == .call { promise?.release() }
    ref.release()
  }
}

// The reaction's side. The reaction's context is the event.
extension CellRef {
  var completion: Completion { Completion(contextCell) }

  /// Appends the event of a settled source. A CALL keeps this promise, for the taker to settle.
  func complete(_ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    let event = completion
    guard event.kind == .call else {
      _ = complete(event, value, outcome)
      return .idle
    }
    guard becomeAnswerable(event) else {
      dropCompletion()
      return .idle
    }
    switch complete(event, value, outcome) {
    case .appended: return .moved
    case .appendedObsolete: return .idle
    case .refused: return conclude(Fault.closed.value, .rejected)
    }
  }

  /// Appends the event with a copy of the value. Frees the event if the queue is closed or the event was revoked.
  private func complete(_ event: Completion, _ value: CellValue, _ outcome: Outcome) -> CompletionQueue.Pushed {
    let isRetained = value.retain()
    let copy = isRetained ? value : Fault.tooManyReferences.value
    let pushed = event.queue.push(event, copy, state: isRetained ? Completion.state(outcome) : 3)
    if pushed != .appended { copy.release() }
    if pushed == .refused { event.ref.release() }
    return pushed
  }

  /// Lets calls from outside settle this promise, whose source is settled. Installs a context, like that of a discard
  /// block, that makes the event obsolete if another call settles the promise first. Returns false if the promise is
  /// already settled.
  private func becomeAnswerable(_ event: Completion) -> Bool {
    guard hold() == .held else { return false }
    let context = unsafe Context(WeakCell(token: event.ref.token).context) { event in
      unsafe WeakCell(context: event).with { Completion($0).makeObsolete() }
    }
    unsafe setDiscardBlock(nil, context)
    mark(DiscardBlock.answerable)
    var state = self.state
    let gone = CellState.sourceMask | CellState.Pending.held
    while exchange(&state, for: state.bits & ~gone | CellState.Pending.slow) == .reloaded {}
    return true
  }

  /// Whether the CALL of this answerable promise is ready, and not taken yet: then it has a reference to the promise.
  var isOfReadyEvent: Bool {
    guard hold() == .held else { return false }
    let event = unsafe WeakCell(context: contextPointer).strong()
    unhold()
    guard let event else { return false }
    defer { event.release() }
    return Completion(event).place == .ready
  }

  /// Expires the event of a reaction that will never run.
  func dropCompletion() { completion.expire() }

  /// Reports to the taker that the source was destroyed while pending. The caller has this reaction's reference.
  func loseCompletion() {
    let event = completion
    if event.queue.push(event, .void, state: Completion.pending) == .refused { event.ref.release() }
  }
}
