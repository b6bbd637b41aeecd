extension CellSubscriber {
  /// What a cancelled subscriber had still: to be released without a lock.
  struct Leftovers {
    var events = EventQueue()
    var ending: StreamEnding?

    func release() {
      events.release()
      if let ending { Delivery.callOut { ending.release() } }
    }
  }

  /// Whether it hears nothing any more.
  var hasEnded: Bool { locked { $0.phase == .ended || $0.isCancelled } }

  /// Ends the subscriber without what it has not had yet. No callback begins after that; what hears of the end hears of
  /// it before this returns, or when the callback that runs has returned. False if it had ended.
  package func cancel(_ ending: StreamEnding = .cancelled) -> Bool {
    var rest = Leftovers()
    let (isFirst, isConcluded) = locked { state -> (Bool, Bool) in
      guard state.phase != .ended, !state.isCancelled else { return (false, true) }
      rest = cancel(&state, ending)
      guard state.phase != .running else { return (true, true) }
      state.phase = .ended
      return (true, false)
    }
    rest.release()
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
    var isTold = false
    if case .stage(let stage) = terms.receiver, !isCancelled { isTold = stage.end(ending) }
    Delivery.callOut {
      var rest = requests
      while let entry = rest.pop() {
        let request = entry.takeEvent().value.owner
        if request.isAbandoned {
          _ = request.discard()
        } else {
          ending.settle(request, isOfValue: true)
          isTold = true
        }
        request.release()
      }
      guard let end = terms.end else { return }
      ending.settle(end)
      // Whoever was told of a failure elsewhere need not ask here as well.
      if isTold || locked({ $0.isEndTold }) { _ = end.seenState }
    }
    terms.receiver.release()
    terms.publisher.roomChanged()
    terms.token?.ref.release()
    terms.publisher.ref.release()
  }

  /// The rest is not delivered. Returns what there was.
  func cancel(_ state: inout State, _ ending: StreamEnding) -> Leftovers {
    let rest = Leftovers(events: state.events.take(), ending: state.ending)
    state.ending = ending
    state.isCancelled = true
    _ = updateFull(&state)
    return rest
  }
}
