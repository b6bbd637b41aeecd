extension CellSubscriber {
  /// The undelivered rest of a cancelled subscriber, to be released outside the lock.
  struct Leftovers {
    var events = EventQueue()
    var ending: StreamEnding?

    func release() {
      events.release()
      if let ending { Delivery.callOut { ending.release() } }
    }
  }

  /// Whether no more events are delivered.
  var hasEnded: Bool { locked { $0.phase == .ended || $0.isCancelled } }

  /// Whether the subscriber accepts further events. After a failure it still delivers those that it accepted before. A
  /// cancelled subscriber has an ending.
  var acceptsEvents: Bool { locked { $0.phase != .ended && $0.ending == nil } }

  /// Ends the subscriber and drops its undelivered events. No callback begins after this call. The end is reported
  /// before this returns, or after the running callback has returned. False if the subscriber had ended already.
  package func cancel(_ ending: StreamEnding = .cancelled) -> Bool {
    var rest = Leftovers()
    let (isFirst, isConcluded) = locked { state -> (Bool, Bool) in
      guard state.phase != .ended, !state.isCancelled else { return (false, true) }
      rest = cancel(&state, ending)
      guard state.phase != .running else { return (true, true) }
      state.phase = .ended
      return (true, false)
    }
    // The destructor of an event, or a callback for the end, may release the last handle.
    let isHeld = ref.retain()
    rest.release()
    if !isConcluded { conclude() }
    if isHeld { ref.release() }
    return isFirst
  }

  /// Reports the end, and releases the receiver, the publisher and the token. The caller must have set the phase
  /// `ended`.
  func conclude() {
    let terms = self.terms
    terms.publisher.remove(self)
    let (ending, isCancelled, requests) = locked { state in
      (state.ending ?? .cancelled, state.isCancelled, state.requests.take())
    }
    // A stage runs outside callOut(), so that a chain of operators ends without recursion.
    var isReported = false
    switch terms.receiver {
    case .stage(let stage) where !isCancelled: isReported = stage.end(ending)
    case .callbacks(_, _, let onEnd?, let context) where !isCancelled:
      Delivery.callOut { unsafe onEnd(context.pointer) }
    default: break
    }
    Delivery.callOut {
      var rest = requests
      while let entry = rest.pop() {
        let request = entry.takeEvent().value.owner
        if request.isAbandoned {
          _ = request.discard()
        } else {
          ending.settle(request, isOfValue: true)
          isReported = true
        }
        request.release()
      }
      guard let end = terms.end else { return }
      ending.settle(end)
      // A failure that was reported through another channel does not count as unhandled here.
      if isReported || locked({ $0.isEndReported }) { _ = end.seenState }
    }
    terms.receiver.release()
    terms.publisher.roomChanged()
    terms.token?.ref.release()
    terms.publisher.ref.release()
  }

  /// Drops the undelivered events and the ending, and returns them for release outside the lock.
  func cancel(_ state: inout State, _ ending: StreamEnding) -> Leftovers {
    let rest = Leftovers(events: state.events.take(), ending: state.ending)
    state.ending = ending
    state.isCancelled = true
    _ = updateFull(&state)
    return rest
  }
}
