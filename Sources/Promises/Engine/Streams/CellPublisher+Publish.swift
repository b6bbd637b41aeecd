extension CellPublisher {
  /// The result of a call to publish.
  package enum Publishing {
    /// Every subscriber has capacity left.
    case published
    /// Published, too; but at least one subscriber is at its capacity: apply back-pressure.
    case full
    /// The event was dropped: the stream has ended.
    case ended
  }

  /// Publishes an event to every subscriber. Callbacks of subscribers without an executor run before this returns,
  /// unless the subscriber's callback is running already. Takes ownership of the value.
  package func publish(_ event: StreamEvent) -> Publishing {
    let result = publishing { _ in event }
    if result == .ended { event.release() }
    return result
  }

  /// Calls `make` with the lock held, unless the stream has ended, and publishes the event that it returns, if any.
  /// Takes ownership of the event's value.
  func publishing(_ make: (inout State) -> StreamEvent?) -> Publishing {
    var delivery = Delivery()
    var garbage = EventQueue()
    var replaced: (StreamEvent?, CellValue?)
    var published: StreamEvent?
    var hasRoomChanged = false
    // A callback may release the last handle.
    let isHeld = ref.retain()
    defer { if isHeld { ref.release() } }
    let isOpen = locked { state in
      guard state.ending == nil else { return false }
      guard let event = make(&state) else { return true }
      published = event
      if state.isStateful, event.value.retain() { replaced = state.replaceLatest(with: event) }
      if state.historyLimit > 0, event.value.retain() { state.addToHistory(event, &garbage) }
      each(state) { subscriber in
        if subscriber.accept(event, &delivery, &garbage) { hasRoomChanged = true }
      }
      return true
    }
    garbage.release()
    replaced.0?.release()
    if let value = replaced.1 { StreamEvent(value, .fulfilled).release() }
    published?.release()
    delivery.run()
    if hasRoomChanged { roomChanged() }
    return isOpen ? (hasRoom ? .published : .full) : .ended
  }

  /// Ends the stream: each subscriber is notified after the events before the end. Takes ownership of the ending. False
  /// if the stream had ended already.
  package func end(_ ending: StreamEnding) -> Bool {
    var delivery = Delivery()
    var ready: CellRef?
    var stopped: Pacing.Stopped?
    var rest: InnerStreams.Rest?
    // A callback may release the last handle.
    let isHeld = ref.retain()
    defer { if isHeld { ref.release() } }
    let isFirst = locked { state in
      guard state.ending == nil else { return false }
      state.ending = ending
      ready = state.ready
      state.ready = nil
      stopped = unsafe state.pacing?.pointee.stop()
      rest = unsafe state.flattening?.pointee.stop()
      if state.count > 0 { _ = state.follower?.seenState }
      _ = endAll(&state, ending, &delivery)
      return true
    }
    guard isFirst else {
      ending.release()
      return false
    }
    delivery.run()
    if let ready {
      Delivery.callOut { _ = ready.discard() }
      ready.release()
    }
    stopped?.release()
    rest?.release()
    leaveSources()
    return true
  }

  /// Ends the current subscribers, as `end()` does, but not the stream. The ending is borrowed. The caller must have a
  /// reference.
  func endSubscribers(_ ending: StreamEnding) {
    var delivery = Delivery()
    let hasRoomChanged = locked { state in endAll(&state, ending, &delivery) }
    delivery.run()
    if hasRoomChanged { roomChanged() }
  }

  /// True if a subscriber is full no longer.
  private func endAll(_ state: inout State, _ ending: StreamEnding, _ delivery: inout Delivery) -> Bool {
    var hasRoomChanged = false
    each(state) { subscriber in
      subscriber.isLinked = false
      if subscriber.acceptEnd(ending, &delivery) { hasRoomChanged = true }
    }
    (state.first, state.last, state.count) = (0, 0, 0)
    return hasRoomChanged
  }

  func each(_ state: State, _ body: (CellSubscriber) -> Void) {
    var next = state.first
    while next != 0 {
      let subscriber = CellSubscriber(CellRef(index: next))
      next = subscriber.link.next
      body(subscriber)
    }
  }

  /// Links the subscriber: it gets the latest event of a stateful stream first, the end if the stream has ended, and
  /// from now on each published event. The caller must have references to both.
  func add(_ subscriber: CellSubscriber) {
    var delivery = Delivery()
    var garbage = EventQueue()
    var hasRoomChanged = false
    locked { state in
      // Skip a subscriber that left already: its end or its token was cancelled, or its target was ended by another
      // source. A subscriber that is cancelled from now on unlinks itself once this lock is released.
      guard !subscriber.hasEnded else { return }
      state.forEachReplayed {
        if subscriber.accept($0, &delivery, &garbage) { hasRoomChanged = true }
      }
      connect(subscriber, &state, &delivery)
    }
    garbage.release()
    delivery.run()
    if hasRoomChanged { roomChanged() }
  }

  /// Gives the subscriber the end if the stream has ended; otherwise appends it to the list, unless it is there. Call
  /// with the lock held.
  func connect(_ subscriber: CellSubscriber, _ state: inout State, _ delivery: inout Delivery) {
    if let ending = state.ending {
      _ = state.follower?.seenState
      subscriber.acceptEnd(ending, &delivery)
      return
    }
    guard !subscriber.isLinked else { return }
    subscriber.link = (previous: state.last, next: 0)
    subscriber.isLinked = true
    if state.last == 0 {
      state.first = subscriber.ref.index
    } else {
      CellSubscriber(CellRef(index: state.last)).link.next = subscriber.ref.index
    }
    state.last = subscriber.ref.index
    state.count += 1
  }

  /// Unlinks the subscriber: it gets no more events.
  func remove(_ subscriber: CellSubscriber) {
    locked { state in
      guard subscriber.isLinked else { return }
      let link = subscriber.link
      if link.previous == 0 {
        state.first = link.next
      } else {
        CellSubscriber(CellRef(index: link.previous)).link.next = link.next
      }
      if link.next == 0 {
        state.last = link.previous
      } else {
        CellSubscriber(CellRef(index: link.next)).link.previous = link.previous
      }
      subscriber.isLinked = false
      state.count -= 1
    }
    leaveOriginUnlessUsed()
  }
}
