// Acceptance of events. The publisher calls accept() and acceptEnd() with its lock held.
extension CellSubscriber {
  /// Enqueues an event, subject to the overflow policy. The caller keeps its reference to the value. Dropped events are
  /// added to `garbage`, because their destructors must not run under the lock. True if the subscriber became full,
  /// or is full no longer.
  func accept(_ event: StreamEvent, _ delivery: inout Delivery, _ garbage: inout EventQueue) -> Bool {
    let terms = self.terms
    return locked { state in
      guard state.phase != .ended, state.ending == nil, state.wants.contains(event), terms.receiver.wants(event) else {
        return false
      }
      if terms.overflow != .buffer, state.events.count >= terms.capacity {
        switch terms.overflow {
        case .buffer: break
        case .dropOldest:
          if let oldest = state.events.pop() { garbage.push(oldest) }
          state.dropped &+= 1
        case .dropNewest:
          state.dropped &+= 1
          return false
        case .fail: state.ending = .fault(.full)
        }
      }
      if state.ending == nil {
        if !event.value.retain() {
          state.ending = .fault(.tooManyReferences)
        } else if !state.events.push(event) {
          event.value.release()
          state.ending = .fault(.outOfMemory)
        }
      }
      schedule(&state, &delivery)
      return updateFull(&state)
    }
  }

  /// Enqueues the end of the stream. True if the subscriber is full no longer.
  @discardableResult
  func acceptEnd(_ ending: StreamEnding, _ delivery: inout Delivery) -> Bool {
    locked { state in
      guard state.phase != .ended, state.ending == nil else { return false }
      state.ending = ending.copy()
      schedule(&state, &delivery)
      return updateFull(&state)
    }
  }

  /// Adds the subscriber to `delivery`, if it has something to deliver and is not scheduled already.
  func schedule(_ state: inout State, _ delivery: inout Delivery) {
    // Each thread adds few references at a time, so the limit of references is not reached.
    guard state.phase == .idle, hasSomethingToDo(state), ref.retain() else { return }
    state.phase = .scheduled
    delivery.push(self)
  }

  func hasSomethingToDo(_ state: State) -> Bool {
    if state.events.isEmpty { return state.ending != nil }
    return terms.receiver.isPromises ? !state.requests.isEmpty : state.demand > 0
  }

  /// Notifies the publisher when the subscriber becomes full, or ceases to be. A subscriber that accepts no more events
  /// is not full. True if that changed.
  func updateFull(_ state: inout State) -> Bool {
    let capacity = terms.capacity
    let isFull =
      state.ending == nil && (state.isTargetFull || capacity > 0 && state.events.count + state.taken >= capacity)
    guard isFull != state.isFull else { return false }
    state.isFull = isFull
    terms.publisher.countFull(isFull)
    return true
  }

  /// Makes an operator's subscriber full while its target is, to propagate back-pressure. True if that changed, with a
  /// reference for the caller, who must call publisherToUpdate(); false also if another call has yet to do so.
  func updateTargetFull() -> Bool {
    guard case .stage(let stage) = terms.receiver, let target = stage.target.strong() else { return false }
    // Outside the lock: the release of the last reference to the target releases this subscriber.
    defer { target.release() }
    return locked { state in
      guard state.phase != .ended else { return false }
      state.isTargetFull = !CellPublisher(target).hasRoom
      // Each thread adds few references at a time, so the limit of references is not reached.
      guard updateFull(&state), !state.isInFullnessChanges, ref.retain() else { return false }
      state.isInFullnessChanges = true
      return true
    }
  }

  /// The publisher that follows this change of capacity, with a reference for the caller; nil if the subscriber has
  /// ended, because its end propagates the change (conclude).
  func publisherToUpdate() -> CellPublisher? {
    locked { state in
      state.isInFullnessChanges = false
      guard state.phase != .ended, terms.publisher.ref.retain() else { return nil }
      return terms.publisher
    }
  }
}
