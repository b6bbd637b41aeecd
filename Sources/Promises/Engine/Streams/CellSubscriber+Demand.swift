extension CellSubscriber {
  /// Asks for so many events more; the most there are stand for all.
  package func request(_ count: UInt64) {
    var delivery = Delivery()
    locked { state in
      let (sum, overflow) = state.demand.addingReportingOverflow(count)
      state.demand = overflow ? .max : sum
      schedule(&state, &delivery)
    }
    delivery.run()
  }

  /// A promise of the next event, a reference of the caller's: fulfilled with a value, rejected with an error or the end.
  /// Cancelled by a request to cancel it; the event goes to the next then, as it does if the promise is let go of. Nil
  /// when memory has run out.
  package func next() -> CellRef? {
    guard let promise = CellRef.promise() else { return nil }
    let context = unsafe Context(UnsafeMutableRawPointer(promise.cell), nil)
    guard unsafe promise.onCancelRequest({ promise, _ in _ = unsafe CellRef.from(promise).discard() }, context),
      promise.retain()
    else {
      promise.release()
      return nil
    }
    var delivery = Delivery()
    let request = StreamEvent(CellValue(kind: .promise, bits: promise.token.bits), .fulfilled)
    var unwanted = EventQueue()
    let (isKept, ending) = locked { state -> (Bool, StreamEnding?) in
      guard state.phase != .ended else {
        state.isEndTold = true
        return (false, (state.ending ?? .cancelled).copy())
      }
      if state.requests.count >= state.sweepsAt { unwanted = sweep(&state) }
      guard state.requests.push(request) else { return (false, nil) }
      schedule(&state, &delivery)
      return (true, nil)
    }
    while let entry = unwanted.pop() {
      let request = entry.takeEvent().value.owner
      Delivery.callOut { _ = request.discard() }
      request.release()
    }
    delivery.run()
    guard !isKept else { return promise }
    promise.release()
    guard let ending else {
      promise.release()
      return nil
    }
    ending.settle(promise, isOfValue: true)
    ending.release()
    if let end, end.state.isSettled { _ = end.seenState }
    return promise
  }

  /// Takes out the requests that nobody waits for any more. It comes when their number has doubled, so it costs each
  /// request the same, whatever their number.
  private func sweep(_ state: inout State) -> EventQueue {
    var all = state.requests.take()
    var unwanted = EventQueue()
    while let entry = all.pop() {
      let request = entry.event.value.owner
      if request.state.isSettled || request.isAbandoned { unwanted.push(entry) } else { state.requests.push(entry) }
    }
    state.sweepsAt = max(64, 2 * state.requests.count)
    return unwanted
  }

  /// How many events were dropped for want of room.
  package var dropped: UInt64 { locked { $0.dropped } }
  package var isForPromises: Bool { terms.receiver.isPromises }
  package var demand: UInt64 { locked { $0.demand } }
}
