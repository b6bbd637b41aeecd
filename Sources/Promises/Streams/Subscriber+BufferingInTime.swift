extension Subscriber {
  /// Publishes arrays of values: one when `interval` has passed since its first value, or when it has `count` values,
  /// whichever comes first. The last, at the end, may be earlier. No array is empty. Errors pass at once, before the
  /// values that wait. A count below 1 counts as 1.
  ///
  ///     let batches = lines.buffer(100, within: .seconds(1)).onNewData { upload($0) }
  ///     let perSecond = lines.buffer(within: .seconds(1))
  ///
  /// - Thread: an array that is complete by its time is published where the clock runs its work.
  public func buffer(
    _ count: Int = .max, within interval: Duration, clock: any StreamClock = SystemStreamClock()
  ) -> Subscriber<[Value], Failure> {
    log.note(.operators, "buffer \(count) within \(interval)")
    let group = TimedGroup<Value>(max(1, count), interval, clock)
    return Subscriber<[Value], Failure>(
      node: node.derived(byFunction: { input, target in
        switch input {
        case .event(let event) where event.outcome.isRejected: _ = target.publish(event)
        case .event(let event):
          let value = event.value.streamed(as: Value.self)
          event.release()
          group.add(value, target)
        case .end(let ending):
          group.publish(nil, to: target)
          _ = target.end(ending.copy())
        }
      }))
  }
}

/// The values of the array that is being filled, and its timer. Guarded by the lock of the target, which publishes the
/// array under it: so a timer that fires while a value or the end arrives publishes before or after it.
private final class TimedGroup<Value>: Sendable {
  private let limit: Int
  private let interval: Duration
  private let clock: any StreamClock
  nonisolated(unsafe) private var values: [Value] = []
  /// The number of the array, so that the timers of earlier ones are ignored.
  nonisolated(unsafe) private var number = 0
  nonisolated(unsafe) private var timer: (any StreamTimer)?

  init(_ limit: Int, _ interval: Duration, _ clock: any StreamClock) {
    (self.limit, self.interval, self.clock) = (limit, interval, clock)
    // Arrays are made with the lock held.
    CellValue.registerSwiftTypes()
  }

  deinit { if let timer = unsafe timer { Delivery.callOut { timer.cancel() } } }

  func add(_ value: Value, _ target: CellPublisher) {
    var begun: Int?
    var done: (any StreamTimer)?
    _ = target.publishing { _ in
      unsafe values.append(value)
      guard unsafe values.count < limit else { return take(&done) }
      begun = unsafe values.count == 1 ? number : nil
      return nil
    }
    Delivery.callOut { done?.cancel() }
    if let begun { startTimer(begun, target) }
  }

  /// Publishes the values of the array with that number, or with nil of the latest, if there are any.
  func publish(_ number: Int?, to target: CellPublisher) {
    var done: (any StreamTimer)?
    _ = target.publishing { _ in
      guard unsafe !values.isEmpty, unsafe number == nil || number == self.number else { return nil }
      return take(&done)
    }
    Delivery.callOut { done?.cancel() }
  }

  /// Removes the values, and returns them as an event; stores the timer, to be cancelled outside the lock.
  private func take(_ done: inout (any StreamTimer)?) -> StreamEvent {
    unsafe number &+= 1
    unsafe swap(&timer, &done)
    defer { unsafe values = [] }
    return unsafe StreamEvent(.encoding(values), .fulfilled)
  }

  private func startTimer(_ number: Int, _ target: CellPublisher) {
    let stream = WeakCell(target.ref)
    let timer = Delivery.callOut {
      clock.schedule(after: interval) { [weak self] in stream.with { self?.publish(number, to: CellPublisher($0)) } }
    }
    // The timer may have fired by now.
    target.locked { _ in
      if unsafe number == self.number { unsafe self.timer = timer }
    }
  }
}
