import CPlatform

// Revocation of events before they are taken. The cell of a revoked waiting event still belongs to its reaction, which
// is detached and frees it.
extension CompletionQueue {
  /// Ends the watches with a tag, and releases their events that were not taken yet. Returns the number of watches; nil
  /// if the queue is closed.
  package func unwatch(tag: UInt64) -> Int? {
    var count = 0
    while true {
      let (isOpen, revoked) = unsafe locked { state in
        guard unsafe !state.isClosed else { return (false, Revoked?.none) }
        guard let event = unsafe state.table.find(tag, where: { $0.kind == .settled }) else { return (true, nil) }
        return unsafe (true, state.revoke(event))
      }
      guard isOpen else { return nil }
      guard let revoked else { return count }
      revoked.finish()
      count += 1
    }
  }

  /// Closes the queue. All events are revoked, and promises that the taker was to settle are rejected. Takers wake up,
  /// and the descriptor is closed.
  package func close() {
    let wasOpen = unsafe locked { state in
      guard unsafe !state.isClosed else { return false }
      unsafe state.isClosed = true
      if unsafe state.descriptor >= 0 { unsafe platform_event_close(state.descriptor) }
      unsafe state.descriptor = -1
      _ = unsafe state.nudge()
      return true
    }
    guard wasOpen else { return }
    wakeAll()
    while let revoked = unsafe locked({ state in unsafe state.revokeNext() }) { revoked.finish() }
  }
}

/// A revoked event, and the rest of its revocation that runs without the lock.
private struct Revoked {
  /// The event to release, if it was ready.
  var ready: Completion?
  /// The reaction of an event that was waiting, with a reference.
  var reaction: CellRef?
  let isCall: Bool

  func finish() {
    if let ready {
      if isCall, let promise = ready.promise { _ = promise.settle(Fault.closed.value, .rejected) }
      ready.releaseReady()
    }
    guard let reaction else { return }
    // A reaction without interest leaves its source in the same way.
    var source: CellRef?
    if isCall {
      source = reaction.retainedSource()
      _ = reaction.settle(Fault.closed.value, .rejected)
    } else if reaction.claim() == .won {
      source = reaction.claimedSource()
      _ = reaction.publish(.void, .fulfilled, isPromise: false)
      source?.detach(reaction, isTaken: false)
    }
    // The reaction's interest ends, so a cancel request that waits for that may propagate now.
    source?.releaseLeftSource()
    reaction.release()
  }
}

extension CompletionQueue.State {
  /// Revokes one event of the table.
  fileprivate mutating func revoke(_ event: Completion) -> Revoked {
    unsafe table.remove(event)
    var revoked = Revoked(isCall: event.kind == .call)
    if event.place == .ready {
      unsafe remove(event)
      revoked.ready = event
    } else if let reaction = event.promise, reaction.retain() {
      revoked.reaction = reaction
    }
    event.place = .revoked
    return revoked
  }

  /// Revokes one event, ready ones first, in their order; nil if none is left.
  fileprivate mutating func revokeNext() -> Revoked? {
    let first = unsafe ready.first
    guard first != 0 else { return unsafe table.any().map { unsafe revoke($0) } }
    let event = Completion(index: first)
    if event.isListed { return unsafe revoke(event) }
    unsafe remove(event)
    event.place = .revoked
    return Revoked(ready: event, isCall: false)
  }
}
