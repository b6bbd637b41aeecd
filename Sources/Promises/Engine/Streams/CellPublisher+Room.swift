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
    var old: CellRef?
    let (kept, isSettled) = locked { state -> (CellRef?, Bool) in
      if state.ending != nil || hasRoom { return (nil, state.ending == nil) }
      // One that somebody else has settled says nothing of the room any more.
      if let ready = state.ready, !ready.state.isSettled { return (ready.retain() ? ready : nil, false) }
      guard fresh.retain() else { return (nil, false) }
      old = state.ready
      state.ready = fresh
      return (fresh, false)
    }
    if let old { Delivery.callOut { old.release() } }
    guard kept != fresh else { return fresh }
    // Nobody has seen this one.
    _ = isSettled ? fresh.settle(.void, .fulfilled) : fresh.discard()
    guard let kept else { return fresh }
    fresh.release()
    return kept
  }

  /// A subscriber is full, or has room again: so may those be by which this publisher has its sources, and so on; and
  /// the promise that there is room may be due. No lock is held.
  func roomChanged() {
    var publisher = self
    var isHeld = false
    // Others that are due; so no shape of operators takes stack.
    var work = EventQueue()
    while true {
      publisher.fulfillReady()
      var next: CellPublisher?
      for index in 0..<publisher.sourceCount {
        guard let source = publisher.source(index).followRoom() else { continue }
        guard next != nil else {
          next = source
          continue
        }
        let isNoted = work.push(
          StreamEvent(CellValue(kind: .u64, bits: UInt64(source.ref.index)), .fulfilled))
        if isNoted { continue }
        // Memory has run out: there is the stack.
        source.roomChanged()
        source.ref.release()
      }
      if isHeld { publisher.ref.release() }
      if next == nil, let entry = work.pop() {
        next = CellPublisher(CellRef(index: UInt32(truncatingIfNeeded: entry.takeEvent().value.bits)))
      }
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
