import Synchronization

extension CellPublisher {
  /// Whether every subscriber has room for one more event.
  package var hasRoom: Bool {
    unsafe Int64(bitPattern: ref.cell.pointee.state.load(ordering: .acquiring)) < Int64(CellPublisher.oneFull)
  }

  /// One subscriber more is full, or has room again. Called with that one's lock.
  func countFull(_ isFull: Bool) {
    let one = isFull ? CellPublisher.oneFull : 0 &- CellPublisher.oneFull
    unsafe ref.cell.pointee.state.wrappingAdd(one, ordering: .acquiringAndReleasing)
  }

  /// A promise that is fulfilled when every subscriber has room, and cancelled when the stream ends before; a reference
  /// of the caller's. Nil when memory has run out.
  package func ready() -> CellRef? {
    guard let fresh = CellRef.promise() else { return nil }
    let (kept, isSettled) = locked { state -> (CellRef?, Bool) in
      if state.ending != nil || hasRoom { return (nil, state.ending == nil) }
      if let ready = state.ready, ready.retain() { return (ready, false) }
      guard state.ready == nil, fresh.retain() else { return (nil, false) }
      state.ready = fresh
      return (fresh, false)
    }
    if let kept {
      if kept != fresh { fresh.release() }
      return kept
    }
    _ = isSettled ? fresh.settle(.void, .fulfilled) : fresh.discard()
    return fresh
  }

  /// A subscriber is full, or has room again: so may those be by which this publisher has its sources, and so on; and
  /// the promise that there is room may be due. No lock is held.
  func roomChanged() {
    var publisher = self
    var isHeld = false
    while true {
      publisher.fulfillReady()
      let count = publisher.sourceCount
      for index in 0..<max(count - 1, 0) {
        // Only the way by the last one is followed without recursion: chains have no other.
        guard let source = publisher.source(index).followRoom() else { continue }
        source.roomChanged()
        source.ref.release()
      }
      let next = count == 0 ? nil : publisher.source(count - 1).followRoom()
      if isHeld { publisher.ref.release() }
      guard let next else { return }
      publisher = next
      isHeld = true
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
