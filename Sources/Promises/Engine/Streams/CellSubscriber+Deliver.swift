import Synchronization

// Delivery of the events of a scheduled subscriber.
extension CellSubscriber {
  private enum Task {
    case nothing
    case event(EventEntry)
    case answer(request: EventEntry, EventEntry)
    case end
  }

  /// Delivers one event, or the end. False if nothing is left to deliver: then the caller releases its reference.
  func step() -> Bool {
    var garbage = Leftovers()
    var hasRoomChanged = false
    let task = locked { nextTask(&$0, &garbage, &hasRoomChanged) }
    garbage.release()
    // A running subscriber still has its reference to the publisher.
    if hasRoomChanged { terms.publisher.roomChanged() }
    switch task {
    // The user code that roomChanged() runs may have cancelled the subscriber.
    case _ where hasRoomChanged && withdraw(task): break
    case .nothing: return false
    case .event(let entry): deliver(entry.takeEvent())
    case .answer(let request, let entry): answer(request.takeEvent().value.owner, with: entry)
    case .end:
      conclude()
      return false
    }
    let next = locked { state in
      state.phase = state.isCancelled ? .ended : hasSomethingToDo(state) ? .scheduled : .idle
      state.isTurnDropped = false
      return state.phase
    }
    // A call that cancelled the subscriber while its callback ran left the conclusion to this call.
    if next == .ended { conclude() }
    return next == .scheduled
  }

  private func deliver(_ event: StreamEvent) {
    switch terms.receiver {
    case .stage(let stage): return stage.receive(event)
    case .callbacks(let onValue, let onError, _, let context):
      var value = event.value
      guard let function = unsafe event.outcome.isRejected ? onError : onValue else { break }
      Delivery.callOut {
        guard let end else { return unsafe function(context.pointer, &value) }
        Settlement.running(nil, of: end) { unsafe function(context.pointer, &value) }
      }
    case .promises: break
    }
    event.release()
  }

  /// Settles a promise of next() with an entry's event. If no one wants that promise any more, the entry stays for the
  /// next request.
  private func answer(_ request: CellRef, with entry: EventEntry) {
    let event = entry.event
    if !request.isAbandoned {
      // A promise that was settled from outside has not consumed the event.
      let isKept = event.value.retain()
      let isAnswered = Delivery.callOut { request.settle(event.value, event.outcome) == .settled }
      request.release()
      if isAnswered || !isKept {
        if isKept { event.release() }
        return entry.free()
      }
    } else {
      Delivery.callOut { _ = request.discard() }
      request.release()
    }
    var garbage = EventQueue()
    let hasRoomChanged = locked { state in
      // An event that arrived meanwhile may have replaced the oldest one. Otherwise there is one more than the
      // capacity.
      let hasNoRoom = terms.overflow == .dropOldest && state.events.count >= terms.capacity
      if hasNoRoom { state.dropped &+= 1 }
      if state.isCancelled || hasNoRoom { garbage.push(entry) } else { state.events.pushFront(entry) }
      return updateFull(&state)
    }
    garbage.release()
    if hasRoomChanged { terms.publisher.roomChanged() }
  }

  /// Withdraws an event that was selected, if the subscriber was cancelled since. Its request gets the ending.
  private func withdraw(_ task: Task) -> Bool {
    var garbage = Leftovers()
    let isWithdrawn = locked { state in
      cancelIfInvalidated(&state, &garbage)
      guard state.isCancelled else { return false }
      switch task {
      case .event(let entry): garbage.events.push(entry)
      case .answer(let request, let entry):
        state.requests.pushFront(request)
        garbage.events.push(entry)
      case .nothing, .end: break
      }
      return true
    }
    garbage.release()
    return isWithdrawn
  }

  private func cancelIfInvalidated(_ state: inout State, _ garbage: inout Leftovers) {
    guard let token = terms.token, token.generation != terms.generation, !state.isCancelled else { return }
    garbage = cancel(&state, .cancelled)
  }

  /// Selects the next task, and updates the phase and the demand for it.
  private func nextTask(_ state: inout State, _ garbage: inout Leftovers, _ hasRoomChanged: inout Bool) -> Task {
    guard state.phase != .ended else { return .nothing }
    cancelIfInvalidated(&state, &garbage)
    guard hasSomethingToDo(state) else {
      state.phase = .idle
      return .nothing
    }
    guard let entry = state.events.pop() else {
      state.phase = .ended
      return .end
    }
    state.phase = .running
    hasRoomChanged = updateFull(&state)
    if let request = state.requests.pop() { return .answer(request: request, entry) }
    if state.demand != .max { state.demand -= 1 }
    return .event(entry)
  }
}

extension CellRef {
  /// Whether the promise of an event has neither references outside nor reactions.
  var isAbandoned: Bool {
    // A weak reference, such as a token's, does not count.
    guard acquiredLife & Life.referencesMask == 1 else { return false }
    return dependentCounts?.callbacks == 0
  }
}
