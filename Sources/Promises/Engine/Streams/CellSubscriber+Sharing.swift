// A subscriber that several callbacks share. The receiver calls each of them for an event before the next event. The
// callbacks are added one by one, each with the events from its addition on: a barrier divides the accepted events.

/// A set of kinds of events.
package struct Wants: OptionSet {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package static var values: Wants { Wants(rawValue: 1) }
  package static var errors: Wants { Wants(rawValue: 2) }
  static var all: Wants { [.values, .errors] }

  func contains(_ event: StreamEvent) -> Bool { contains(event.outcome.isRejected ? .errors : .values) }
}

/// The admission of a callback to the receiver of a shared subscriber. The next `replayed` events are for this callback
/// alone.
package enum Admission {
  /// Nothing is delivered or queued: the callback is admitted at once.
  case idle(replayed: Int)
  /// The callback is admitted when the receiver gets a barrier, which the function returns.
  case busy(replayed: Int)
}

extension CellPublisher {
  /// Admits a callback to a subscriber of this publisher, and subscribes the subscriber with its first callback. The
  /// callback gets the events that a new subscriber would get, and all later ones of the kinds that it wants. `admit`
  /// is called with the locks held; it returns the barrier if the subscriber is busy. False if the subscriber has
  /// ended.
  package func share(
    _ subscriber: CellSubscriber, _ wants: Wants, _ admit: (Admission) -> StreamEvent?
  ) -> Bool {
    var delivery = Delivery()
    let isAdmitted = locked { state -> Bool in
      guard subscriber.admit(wants, from: state, &delivery, admit) else { return false }
      connect(subscriber, &state, &delivery)
      return true
    }
    delivery.run()
    return isAdmitted
  }
}

extension CellSubscriber {
  /// Admits a callback. The publisher's lock must be held.
  fileprivate func admit(
    _ wants: Wants, from publisher: CellPublisher.State, _ delivery: inout Delivery,
    _ admit: (Admission) -> StreamEvent?
  ) -> Bool {
    locked { state in
      // The end of an open stream was not that of the stream, but of its subscribers at that time.
      guard state.phase != .ended, !state.isCancelled, state.ending == nil || publisher.ending != nil else {
        return false
      }
      // Before the first callback nothing is wanted.
      state.wants = isLinked || state.ending != nil ? state.wants.union(wants) : wants
      var replayed = EventQueue()
      publisher.forEachReplayed { event in
        guard wants.contains(event) else { return }
        guard event.value.retain(), replayed.push(event) else { fatalError("no memory for an event") }
      }
      // Events of a turn that was dropped precede those of the callback.
      let isIdle = state.phase == .idle && state.events.isEmpty
      let admission = isIdle ? Admission.idle(replayed: replayed.count) : .busy(replayed: replayed.count)
      if let barrier = admit(admission), !state.events.push(barrier) { fatalError("no memory for an event") }
      state.events.append(replayed)
      schedule(&state, &delivery)
      return true
    }
  }
}
