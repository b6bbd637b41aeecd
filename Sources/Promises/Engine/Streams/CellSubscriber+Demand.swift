extension CellSubscriber {
  /// Adds to the demand; UINT64_MAX means unlimited.
  package func request(_ count: UInt64) {
    var delivery = Delivery()
    locked { state in
      let (sum, overflow) = state.demand.addingReportingOverflow(count)
      state.demand = overflow ? .max : sum
      schedule(&state, &delivery)
    }
    delivery.run()
  }

  /// Returns a promise of the next event, with a reference for the caller: fulfilled with a value, rejected with an
  /// error or at the end. A cancel request cancels the promise; then, or if the promise is released while pending, the
  /// event is left for the next request. Nil when memory has run out.
  package func next() -> CellRef? {
    guard let promise = CellRef.promise() else { return nil }
    promise.keepForSettler()
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
        state.isEndReported = true
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
    ending.settle(promise, inPlaceOfEventBefore: end)
    ending.release()
    if let end, end.state.isSettled { _ = end.seenState }
    return promise
  }

  /// Removes requests whose promises no one wants any more. Runs when their number has doubled, so the amortized cost
  /// per request is constant.
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

  /// The number of events dropped by the overflow policy.
  package var dropped: UInt64 { locked { $0.dropped } }
  package var isForPromises: Bool { terms.receiver.isPromises }
  package var demand: UInt64 { locked { $0.demand } }
}
