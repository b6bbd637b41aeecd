extension CellPublisher {
  /// How a call to publish ended.
  package enum Publishing {
    /// Every subscriber has room for more.
    case published
    /// Published too; but one is full now, or was.
    case full
    /// Not published: the stream has ended.
    case ended
  }

  /// Sends an event to every subscriber, whose callbacks run before this returns if they have no executor and do not run
  /// already. Takes over the value.
  package func publish(_ event: StreamEvent) -> Publishing {
    let result = publishing { _ in event }
    if result == .ended { event.release() }
    return result
  }

  /// Sends the event that `make` returns with the lock held, if any. Takes over its value. An ended stream does not ask.
  func publishing(_ make: (inout State) -> StreamEvent?) -> Publishing {
    var delivery = Delivery()
    var garbage = EventQueue()
    var replaced: StreamEvent?
    var published: StreamEvent?
    var hasRoomChanged = false
    // A callback may give the last handle back.
    let isHeld = ref.retain()
    defer { if isHeld { ref.release() } }
    let isOpen = locked { state in
      guard state.ending == nil else { return false }
      guard let event = make(&state) else { return true }
      published = event
      if state.isStateful, event.value.retain() {
        replaced = state.latest
        state.latest = event
      }
      each(state) { subscriber in
        if subscriber.accept(event, &delivery, &garbage) { hasRoomChanged = true }
      }
      return true
    }
    garbage.release()
    replaced?.release()
    published?.release()
    delivery.run()
    if hasRoomChanged { roomChanged() }
    return isOpen ? (hasRoom ? .published : .full) : .ended
  }

  /// Ends the stream: each subscriber hears of it when it has had what came before. Takes over the ending. False if the
  /// stream had ended.
  package func end(_ ending: StreamEnding) -> Bool {
    var delivery = Delivery()
    var ready: CellRef?
    let isFirst = locked { state in
      guard state.ending == nil else { return false }
      state.ending = ending
      ready = state.ready
      state.ready = nil
      each(state) { subscriber in
        subscriber.isLinked = false
        subscriber.acceptEnd(ending, &delivery)
      }
      (state.first, state.last, state.count) = (0, 0, 0)
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
    leaveSources()
    return true
  }

  private func each(_ state: State, _ body: (CellSubscriber) -> Void) {
    var next = state.first
    while next != 0 {
      let subscriber = CellSubscriber(CellRef(index: next))
      next = subscriber.link.next
      body(subscriber)
    }
  }

  /// From now on the subscriber gets what is published; before that, the latest event of a stateful stream, and its end
  /// if it has ended. The caller keeps both.
  func add(_ subscriber: CellSubscriber) {
    var delivery = Delivery()
    var garbage = EventQueue()
    locked { state in
      // Its end or its token was cancelled, or its target has ended by another source: it has left already. One that is
      // cancelled from now on leaves when this lock is given up.
      guard !subscriber.hasEnded else { return }
      if let latest = state.latest { _ = subscriber.accept(latest, &delivery, &garbage) }
      if let ending = state.ending { return subscriber.acceptEnd(ending, &delivery) }
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
    garbage.release()
    delivery.run()
  }

  /// The subscriber gets nothing any more.
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
    stopTickingUnlessUsed()
  }
}
