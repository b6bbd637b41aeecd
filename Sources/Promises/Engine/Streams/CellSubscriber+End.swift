extension CellSubscriber {
  /// Ends the subscriber without what it has not had yet. No callback begins after that; what hears of the end hears of
  /// it before this returns, or when the callback that runs has returned. False if it had ended.
  package func cancel(_ ending: StreamEnding = .cancelled) -> Bool {
    var garbage = EventQueue()
    let (isFirst, isConcluded) = locked { state -> (Bool, Bool) in
      guard state.phase != .ended, !state.isCancelled else { return (false, true) }
      garbage = cancel(&state, ending)
      guard state.phase != .running else { return (true, true) }
      state.phase = .ended
      return (true, false)
    }
    garbage.release()
    if !isConcluded {
      // What hears of the end may give the last handle back.
      let isHeld = ref.retain()
      conclude()
      if isHeld { ref.release() }
    }
    return isFirst
  }

  /// Tells of the end, and lets go of everything. The caller has made it `ended`.
  func conclude() {
    let terms = self.terms
    terms.publisher.remove(self)
    let (ending, isCancelled, requests) = locked { state in
      (state.ending ?? .cancelled, state.isCancelled, state.requests.take())
    }
    // Not as a call of the user's: a chain of operators ends without recursion.
    if case .stage(let stage) = terms.receiver, !isCancelled { stage.end(ending) }
    Delivery.callOut {
      var rest = requests
      while let entry = rest.pop() {
        let request = entry.takeEvent().value.owner
        ending.settle(request, isOfValue: true)
        request.release()
      }
      if let end = terms.end { ending.settle(end) }
    }
    terms.receiver.release()
    terms.publisher.roomChanged()
    terms.token?.ref.release()
    terms.publisher.ref.release()
  }

  /// The rest is not delivered. Returns what there was, for the caller to release without a lock.
  func cancel(_ state: inout State, _ ending: StreamEnding) -> EventQueue {
    var garbage = state.events.take()
    // The old reason goes the same way.
    if case .failed(let reason)? = state.ending, !garbage.push(StreamEvent(reason, .rejected)) { reason.release() }
    state.ending = ending
    state.isCancelled = true
    _ = updateFull(&state)
    return garbage
  }
}
