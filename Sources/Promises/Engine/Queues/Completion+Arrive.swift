import CPlatform
import Synchronization

// The entry of an event into its queue's line.
extension Completion {
  /// Whether the event is entered in the queue's table.
  var isRevocable: Bool { kind == .settled || kind == .call }

  /// Appends the event, unless the queue is closed. Copies the value. The caller keeps its reference to the event.
  func arrive(_ value: CellValue) {
    guard ref.retain() else { return }
    let copy = value.retain() ? value : Fault.tooManyReferences.value
    if queue.push(self, copy, state: 0) { return }
    copy.release()
    ref.release()
  }

  /// Revokes the event of a promise that was settled by another party: takes it out of the line if it is ready. If the
  /// source is being settled, the settling thread finds the event revoked, and frees it.
  fileprivate func withdraw() {
    let isOut = unsafe queue.locked { state in
      let isReady = place == .ready
      guard isReady || place == .waiting || place == .idle else { return false }
      if isListed { unsafe state.table.remove(self) }
      if isReady { unsafe state.remove(self) }
      place = .revoked
      return isReady
    }
    if isOut { releaseReady() }
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
      complete(event, value, outcome)
      return .idle
    }
    guard becomeAnswerable(event) else {
      dropCompletion()
      return .idle
    }
    if complete(event, value, outcome) { return .moved }
    return conclude(Fault.closed.value, .rejected)
  }

  /// Appends the event with a copy of the value. False if the queue is closed or the event was revoked: then frees the
  /// event.
  @discardableResult
  private func complete(_ event: Completion, _ value: CellValue, _ outcome: Outcome) -> Bool {
    let isRetained = value.retain()
    let copy = isRetained ? value : Fault.tooManyReferences.value
    if event.queue.push(event, copy, state: isRetained ? Completion.state(outcome) : 3) { return true }
    copy.release()
    event.ref.release()
    return false
  }

  /// Makes this promise, whose source is settled, one that is settled by calls from outside. The context, installed
  /// like that of a discard block, withdraws the event if another call settles the promise first. False if it is
  /// settled already.
  private func becomeAnswerable(_ event: Completion) -> Bool {
    guard hold() else { return false }
    let context = unsafe Context(WeakCell(token: event.ref.token).context) { event in
      unsafe WeakCell(context: event).with { Completion($0).withdraw() }
    }
    unsafe setDiscardBlock(nil, context)
    var state = self.state
    while !exchange(&state, for: state.bits & ~(CellState.sourceMask | CellState.Pending.held) | CellState.Pending.slow)
    {}
    return true
  }

  /// Reports to the taker that the source was destroyed while pending. The caller has this reaction's reference.
  func loseCompletion() {
    let event = completion
    if !event.queue.push(event, .void, state: Completion.pending) { event.ref.release() }
  }

  /// Revokes the event of a reaction that will never run.
  func dropCompletion() {
    let event = completion
    unsafe event.queue.locked { state in
      guard event.place == .waiting else { return }
      unsafe state.table.remove(event)
      event.place = .revoked
    }
    event.ref.release()
  }
}
