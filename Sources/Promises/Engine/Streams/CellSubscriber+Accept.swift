// What the publisher does to a subscriber, with its own lock held.
extension CellSubscriber {
  /// Takes in an event, or what the overflow policy makes of it. The value stays the caller's. What is dropped goes to
  /// `garbage`, for its destructor must not run here. True if it is full now, or is no more.
  func accept(_ event: StreamEvent, _ delivery: inout Delivery, _ garbage: inout EventQueue) -> Bool {
    let terms = self.terms
    return locked { state in
      guard state.phase != .ended, state.ending == nil, terms.receiver.wants(event) else { return false }
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

  /// The stream has ended.
  func acceptEnd(_ ending: StreamEnding, _ delivery: inout Delivery) {
    locked { state in
      guard state.phase != .ended, state.ending == nil else { return }
      state.ending = ending.copy()
      _ = updateFull(&state)
      schedule(&state, &delivery)
    }
  }

  /// If there is something to do, it gets to it by way of `delivery`.
  func schedule(_ state: inout State, _ delivery: inout Delivery) {
    // Each thread has few references at a time, so there is room for one more.
    guard state.phase == .idle, hasSomethingToDo(state), ref.retain() else { return }
    state.phase = .scheduled
    delivery.push(self)
  }

  func hasSomethingToDo(_ state: State) -> Bool {
    if state.events.isEmpty { return state.ending != nil }
    return terms.receiver.isPromises ? !state.requests.isEmpty : state.demand > 0
  }

  /// Tells the publisher when it becomes full, or ceases to be, which one that takes no more events is not. True if that
  /// has changed.
  func updateFull(_ state: inout State) -> Bool {
    let capacity = terms.capacity
    let isFull =
      state.ending == nil && (state.isTargetFull || capacity > 0 && state.events.count >= capacity)
    guard isFull != state.isFull else { return false }
    state.isFull = isFull
    terms.publisher.countFull(isFull)
    return true
  }

  /// An operator's subscriber is full while its target has no room. If that has changed, returns its publisher, with a
  /// reference.
  func followRoom() -> CellPublisher? {
    guard case .stage(let stage) = terms.receiver, let target = stage.target.strong() else { return nil }
    // Not with the lock: the last reference to the target lets go of this subscriber.
    defer { target.release() }
    return locked { state in
      guard state.phase != .ended else { return nil }
      state.isTargetFull = !CellPublisher(target).hasRoom
      guard updateFull(&state), terms.publisher.ref.retain() else { return nil }
      return terms.publisher
    }
  }
}
