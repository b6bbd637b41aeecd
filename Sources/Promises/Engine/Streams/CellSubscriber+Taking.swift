// Events that a consumer takes from the queue in groups, each under one lock, instead of requesting each of them.
extension CellSubscriber {
  /// The effects of a call of `take`. Call `run` without a lock, once.
  struct Taking {
    fileprivate var delivery = Delivery()
    fileprivate var publisher: CellPublisher?

    /// Delivers an end that is due, and notifies producers of capacity.
    consuming func run() {
      delivery.run()
      guard let publisher else { return }
      publisher.roomChanged()
      publisher.ref.release()
    }
  }

  /// Moves at most `limit` queued events to `group`, in order; none if there is demand, which they are for.
  ///
  /// Events of a group of several count as queued until the next call. So producers that wait for capacity are notified
  /// once a group instead of once an event; such a call takes no events if `limit` is 0. The subscriber must have no
  /// overflow policy that drops events, unless `limit` is 1.
  func take(_ limit: Int, _ group: inout EventQueue) -> Taking {
    locked { state in
      var taking = Taking()
      guard state.phase != .ended, !state.isCancelled else { return taking }
      var count = 0
      if state.demand == 0 {
        while count < limit, let entry = state.events.pop() {
          group.push(entry)
          count += 1
        }
      }
      state.taken = count > 1 ? count : 0
      schedule(&state, &taking.delivery)
      if updateFull(&state), terms.publisher.ref.retain() { taking.publisher = terms.publisher }
      return taking
    }
  }
}
