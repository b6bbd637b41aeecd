import CPlatform

// Entering the subscriber of an operator without an event. From `enter` to `leave` the receiver belongs to the calling
// thread, as it does while an event is delivered. Events that are published meanwhile wait in the queue; the thread
// that leaves delivers them.
extension CellSubscriber {
  /// The result of an attempt to enter.
  package enum Entry {
    /// The caller has the receiver until it calls `leave`.
    case entered
    /// The receiver gets a mark, after the events that were accepted before.
    case queued
    /// The subscriber has ended, or was cancelled. The receiver gets no more events.
    case ended
  }

  /// Enters the subscriber if it is idle, and otherwise queues a mark for its receiver. `prepare` is called first, with
  /// the lock held.
  package func enter(_ prepare: () -> Void) -> Entry {
    locked { state in
      prepare()
      guard state.phase != .ended, !state.isCancelled else { return .ended }
      if enterIfIdle(&state) { return .entered }
      guard state.events.push(.mark) else { fatalError("no memory for an event") }
      return .queued
    }
  }

  /// Queues a barrier behind the accepted events. False if there are none: the subscriber is idle or has ended.
  package func enqueueBarrier(_ make: () -> StreamEvent) -> Bool {
    locked { state in
      guard state.phase == .scheduled || state.phase == .running, !state.isCancelled else { return false }
      guard state.events.push(make()) else { fatalError("no memory for an event") }
      return true
    }
  }

  /// The publisher of the events, with a reference for the caller; nil after the end.
  package var source: CellPublisher? {
    locked { state in
      guard state.phase != .ended, terms.publisher.ref.retain() else { return nil }
      return terms.publisher
    }
  }

  /// Enters the subscriber if nothing is delivered or queued. On success the caller gets a reference.
  private func enterIfIdle(_ state: inout State) -> Bool {
    // Each thread adds few references at a time, so the limit of references is not reached.
    guard state.phase == .idle, ref.retain() else { return false }
    state.phase = .running
    return true
  }

  fileprivate func enterIfIdle() -> Bool { locked { enterIfIdle(&$0) } }

  /// Gives up the receiver after `enter`, and releases the reference. A subscriber that has events by now moves to
  /// `delivery` with its reference.
  func leave(_ delivery: inout Delivery) {
    let next = locked { state in
      state.phase = state.isCancelled ? .ended : hasSomethingToDo(state) ? .scheduled : .idle
      return state.phase
    }
    if next == .scheduled { return delivery.push(self) }
    // A call that cancelled the subscriber meanwhile left the conclusion to this call.
    if next == .ended { conclude() }
    ref.release()
  }

  /// The object for which publishers may enter the subscriber; nil if they may not.
  var entrance: StreamEntrance? {
    guard case .stage(let stage) = terms.receiver else { return nil }
    return stage.entrance
  }
}

extension CellPublisher {
  /// Enters the only subscriber, in place of publishing an event to it. Nil if there is not exactly one, if it is busy
  /// or has no entrance, or if the event would have to be stored.
  func enterOnlySubscriber() -> CellSubscriber? {
    // Within a delivery, the event has to join its list.
    guard !Delivery.isRunning else { return nil }
    return locked { state in
      guard state.first != 0, state.first == state.last, !state.isStateful else { return nil }
      let only = CellSubscriber(CellRef(index: state.first))
      return only.entrance != nil && only.enterIfIdle() ? only : nil
    }
  }
}

/// An object that the operation of a subscriber keeps, and for which publishers may enter it.
@safe
package struct StreamEntrance {
  let object: UnsafeMutableRawPointer
  package init(_ object: UnsafeMutableRawPointer) { unsafe self.object = unsafe object }
}

extension StreamEvent {
  /// A placeholder in the queue of events, which notifies a receiver.
  static var mark: StreamEvent { StreamEvent(CellValue(kind: .void, bits: .max), .fulfilled) }

  var isMark: Bool { value.kind == ValueKind.void.rawValue && value.bits == .max }
}
