extension CellPublisher {
  /// Returns a promise, with a reference for the caller, that producers wait on for back-pressure: fulfilled when every
  /// subscriber has capacity, cancelled when the stream ends before. Nil when memory has run out.
  package func ready() -> CellRef? {
    guard let fresh = CellRef.promise() else { return nil }
    fresh.keepForSettler()
    var old: CellRef?
    let (kept, isSettled) = locked { state -> (CellRef?, Bool) in
      if state.ending != nil || hasRoom { return (nil, state.ending == nil) }
      // A promise that was settled from outside does not reflect the capacity any more.
      if let ready = state.ready, !ready.state.isSettled { return (ready.retain() ? ready : nil, false) }
      guard fresh.retain() else { return (nil, false) }
      old = state.ready
      state.ready = fresh
      return (fresh, false)
    }
    if let old { Delivery.callOut { old.release() } }
    guard kept != fresh else { return fresh }
    // No other thread knows this promise.
    _ = isSettled ? fresh.settle(.void, .fulfilled) : fresh.discard()
    guard let kept else { return fresh }
    fresh.release()
    return kept
  }

  /// Propagates a change of capacity upstream: when a subscriber becomes full or ceases to be, so may the subscribers
  /// by which this publisher consumes its sources, and so on. Also settles the ready promise, if due. Call without a
  /// lock.
  func roomChanged() {
    // A work list, so no shape of operators causes recursion.
    var work = FullnessChanges()
    fulfillReady()
    pushSources(on: &work)
    while let subscriber = work.pop() {
      if let publisher = subscriber.publisherToUpdate() {
        publisher.fulfillReady()
        publisher.pushSources(on: &work)
        publisher.ref.release()
      }
      subscriber.ref.release()
    }
  }

  private func pushSources(on work: inout FullnessChanges) {
    for index in 0..<sourceCount where source(index).updateTargetFull() { work.push(source(index)) }
    // The lock guards the list of inner streams. A subscriber's lock may be taken while it is held.
    locked { state in
      var next = unsafe state.flattening?.pointee.first
      while let inner = unsafe next {
        if let subscriber = unsafe inner.pointee.subscriber, subscriber.updateTargetFull() { work.push(subscriber) }
        unsafe next = unsafe inner.pointee.next
      }
    }
  }

  private func fulfillReady() {
    guard hasRoom else { return }
    let ready = locked { state -> CellRef? in
      guard hasRoom else { return nil }
      defer { state.ready = nil }
      return state.ready
    }
    guard let ready else { return }
    Delivery.callOut { _ = ready.settle(.void, .fulfilled) }
    ready.release()
  }
}

/// The operators' subscribers that became full, or ceased to be, and whose publishers have to follow. Each has a
/// reference. A subscriber is in at most one such queue (updateTargetFull).
private typealias FullnessChanges = CellQueue<CellSubscriber.FullnessLink>
