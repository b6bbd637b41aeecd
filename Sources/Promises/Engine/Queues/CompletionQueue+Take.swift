import CPlatform

extension CompletionQueue {
  /// The result of a take.
  package enum Taken {
    /// A chain of events through `next`: the index of the first, and their number. 0 events: the time limit has passed.
    case events(first: UInt32, count: Int)
    case closed, interrupted, deadlock
  }

  /// Takes up to `room` events, the oldest first. If none is ready, sleeps for at most `nanoseconds`; negative:
  /// unlimited.
  package func take(_ room: Int, nanoseconds: Int64) -> Taken {
    var limit: WaitLimit?
    while true {
      let (taken, wakes, sequence) = unsafe locked { state in unsafe state.take(room, sleeps: nanoseconds != 0) }
      if wakes { wakeOne() }
      if let taken { return taken }
      var left = limit ?? WaitLimit(nanoseconds: nanoseconds)
      let end = sleep(sequence, &left)
      limit = left
      guard let end else { continue }
      // This thread may have been woken for an event at the same time.
      let (last, wakesAnother, _) = unsafe locked { state in unsafe state.take(room, sleeps: false) }
      if wakesAnother { wakeOne() }
      if case .events(_, count: 0)? = last { return end }
      return last ?? end
    }
  }

  /// Sleeps until an event arrives, the queue is closed, or a spurious wake-up. Returns the result if the take ends
  /// here. The caller must be counted among the sleepers; it no longer is when this returns.
  private func sleep(_ sequence: UInt32, _ limit: inout WaitLimit) -> Taken? {
    defer { unsafe locked { state in unsafe state.sleepers -= 1 } }
    if limit.isOver { return .events(first: 0, count: 0) }
    if limit.isTimeToLook() && ForkedChild.isAlone { return .deadlock }
    Pool.beginBlocking()
    let wasInterrupted = unsafe !platform_futex_wait(sequenceAddress, sequence, limit.next < 0 ? .max : limit.next)
    Pool.endBlocking()
    return wasInterrupted ? .interrupted : nil
  }
}

extension CompletionQueue.State {
  /// Takes ready events. If none is ready and the caller `sleeps`, returns nil: then the caller is counted among the
  /// sleepers and waits on the sequence. `wakes`: the caller must wake another taker for the remaining events.
  fileprivate mutating func take(
    _ room: Int, sleeps: Bool
  ) -> (taken: CompletionQueue.Taken?, wakes: Bool, sequence: UInt32) {
    if unsafe isClosed { return (.closed, false, 0) }
    if unsafe ready.isEmpty {
      guard sleeps else { return (.events(first: 0, count: 0), false, 0) }
      unsafe sleepers += 1
      return unsafe (nil, false, sequence)
    }
    let (first, count) = unsafe ready.take(room)
    var index = first
    while index != 0 {
      let event = Completion(index: index)
      if event.isListed { unsafe table.remove(event) }
      event.place = .taken
      index = event.next
    }
    // Write for the events that are left, so that edge-triggered pollers get a new edge.
    if unsafe descriptor >= 0 { unsafe platform_event_set(descriptor, !ready.isEmpty) }
    return unsafe (.events(first: first, count: count), !ready.isEmpty && nudge(), 0)
  }
}
