import CPlatform

// How events end before they are taken. A waiting event that is revoked stays its reaction's to free,
// which is detached.
extension CompletionQueue {
  /// Ends the watches with a tag, and releases their events that wait to be taken. Returns their number; nil if the queue
  /// is closed.
  package func unwatch(tag: UInt64) -> Int? {
    var count = 0
    while true {
      let (isOpen, revoked) = locked { state in
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

  /// Revokes every event: none comes any more, and promises that the taker was to settle are rejected. Takers wake, and
  /// the descriptor is closed.
  package func close() {
    let wasOpen = locked { state in
      guard unsafe !state.isClosed else { return false }
      unsafe state.isClosed = true
      if unsafe state.descriptor >= 0 { unsafe platform_event_close(state.descriptor) }
      unsafe state.descriptor = -1
      _ = unsafe state.nudge()
      return true
    }
    guard wasOpen else { return }
    wakeAll()
    while let revoked = locked({ state in unsafe state.revokeNext() }) { revoked.finish() }
  }
}

/// An event that was revoked, and what is left to do for that without the lock.
private struct Revoked {
  /// To release: it was ready.
  var ready: Completion?
  /// Where it waited, with a reference.
  var reaction: CellRef?
  let isCall: Bool

  func finish() {
    if let ready {
      if isCall, let promise = ready.promise { _ = promise.settle(Fault.closed.value, .rejected) }
      ready.releaseReady()
    }
    guard let reaction else { return }
    // Whatever its interest: a tap has none.
    var source: CellRef?
    if isCall {
      source = reaction.retainedSource()
      _ = reaction.settle(Fault.closed.value, .rejected)
    } else if reaction.claim() {
      source = reaction.claimedSource()
      _ = reaction.publish(.void, .fulfilled, isPromise: false)
      source?.detach(reaction)
    }
    // With the interest, a request that waits for its end may go on.
    source?.releaseLeft()
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

  /// Revokes one event, in the order of the line first; nil if none is left.
  fileprivate mutating func revokeNext() -> Revoked? {
    let first = unsafe line.first
    guard first != 0 else { return unsafe table.any().map { unsafe revoke($0) } }
    let event = Completion(index: first)
    if event.isListed { return unsafe revoke(event) }
    unsafe remove(event)
    event.place = .revoked
    return Revoked(ready: event, isCall: false)
  }
}
