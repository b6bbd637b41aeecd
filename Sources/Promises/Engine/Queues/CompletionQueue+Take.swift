import CPlatform

extension CompletionQueue {
  /// The result of a take.
  package enum Taken {
    /// The first of the events, by index, and how many: a chain through `next`. None: the time ran out.
    case events(first: UInt32, count: Int)
    case closed, interrupted, deadlock
  }

  /// Takes up to `room` events, the oldest first; sleeps for at most so many nanoseconds while there is none (negative: for
  /// ever).
  package func take(_ room: Int, nanoseconds: Int64) -> Taken {
    var limit: WaitLimit?
    while true {
      let (taken, wakes, sequence) = locked { state in unsafe state.take(room, sleeps: nanoseconds != 0) }
      if wakes { wakeOne() }
      if let taken { return taken }
      var left = limit ?? WaitLimit(nanoseconds: nanoseconds)
      let end = sleep(sequence, &left)
      limit = left
      guard let end else { continue }
      // The caller may have been woken for an event at the same time.
      let (last, passesOn, _) = locked { state in unsafe state.take(room, sleeps: false) }
      if passesOn { wakeOne() }
      if case .events(_, count: 0)? = last { return end }
      return last ?? end
    }
  }

  /// Sleeps until an event comes or the queue is closed, or wakes spuriously. Returns how the take ends, if it does. The
  /// caller is counted among the sleepers.
  private func sleep(_ sequence: UInt32, _ limit: inout WaitLimit) -> Taken? {
    defer { locked { state in unsafe state.sleepers -= 1 } }
    if limit.isOver { return .events(first: 0, count: 0) }
    if limit.isTimeToLook() && ForkedChild.isAlone { return .deadlock }
    Pool.beginBlocking()
    let goesOn = unsafe platform_futex_wait(sequenceAddress, sequence, limit.next < 0 ? .max : limit.next)
    Pool.endBlocking()
    return goesOn ? nil : .interrupted
  }
}

extension CompletionQueue.State {
  /// Takes ready events. With none it returns nil if the caller `sleeps`: then the caller is counted among the sleepers,
  /// and sleeps on the sequence. `wakes`: events are left for another taker, which is to be woken.
  fileprivate mutating func take(
    _ room: Int, sleeps: Bool
  ) -> (taken: CompletionQueue.Taken?, wakes: Bool, sequence: UInt32) {
    if unsafe isClosed { return (.closed, false, 0) }
    if unsafe line.isEmpty {
      guard sleeps else { return (.events(first: 0, count: 0), false, 0) }
      unsafe sleepers += 1
      return unsafe (nil, false, sequence)
    }
    let (first, count) = unsafe line.take(room)
    var index = first
    while index != 0 {
      let event = Completion(index: index)
      if event.isListed { unsafe table.remove(event) }
      event.place = .taken
      index = event.next
    }
    // A write for the events that are left makes a new edge, for pollers that see changes only.
    if unsafe descriptor >= 0 { unsafe platform_event_set(descriptor, !line.isEmpty) }
    return unsafe (.events(first: first, count: count), !line.isEmpty && nudge(), 0)
  }
}
