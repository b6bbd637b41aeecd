/// A stage of an operator that publishes later: one pending event, and one timer.
///
/// The lock of the target guards the state, and the target publishes under it: so a timer that fires while an event or
/// the end arrives publishes before or after it, and nothing is lost.
final class TimedStage: Sendable {
  private let interval: Duration
  private let clock: any StreamClock
  nonisolated(unsafe) private var pending: StreamEvent?
  nonisolated(unsafe) private var timer: (any StreamTimer)?
  /// The number of the current timer; the others are outdated.
  nonisolated(unsafe) private var number = 0
  nonisolated(unsafe) private var isInInterval = false

  init(_ interval: Duration, _ clock: any StreamClock) {
    self.interval = interval
    self.clock = clock
  }

  deinit {
    unsafe timer?.cancel()
    unsafe pending?.release()
  }

  /// Stores an event for later, and takes ownership of it.
  func keep(_ event: StreamEvent, for target: CellPublisher) {
    let old = target.locked { _ in
      defer { unsafe pending = event }
      return unsafe pending
    }
    old?.release()
  }

  /// Stores an event if an interval runs, and takes ownership of it; without `latest` it drops the event then. False if
  /// no interval runs.
  func keepInInterval(_ event: StreamEvent, latest: Bool, for target: CellPublisher) -> Bool {
    let (isKept, old) = target.locked { _ -> (Bool, StreamEvent?) in
      guard unsafe isInInterval else { return (false, nil) }
      guard latest else { return (true, event) }
      defer { unsafe pending = event }
      return unsafe (true, pending)
    }
    old?.release()
    return isKept
  }

  /// Publishes the pending event, if there is one.
  func flush(to target: CellPublisher) { _ = flush(to: target, due: nil) }

  private enum Flushed { case outdated, nothing, published }

  /// Publishes the pending event when a timer has fired, unless another timer was started.
  private func flush(to target: CellPublisher, due: Int?) -> Flushed {
    var result = Flushed.nothing
    _ = target.publishing { _ in
      if let due, unsafe due != number {
        result = .outdated
        return nil
      }
      guard let event = unsafe pending else {
        // The interval ends under the lock: the next event either is pending by now, or starts an interval.
        unsafe isInInterval = false
        return nil
      }
      unsafe pending = nil
      result = .published
      return event
    }
    return result
  }

  /// Starts the timer, and again whenever it has published an event.
  func startIntervals(for target: CellPublisher) {
    start(for: target) { stage, target, hasFlushed in
      if hasFlushed { stage.startIntervals(for: target) }
    }
  }

  /// Starts the timer, in place of one that runs. When it fires, the pending event is published; then `fired` is
  /// called.
  func start(for target: CellPublisher, _ fired: @escaping @Sendable (TimedStage, CellPublisher, Bool) -> Void) {
    let (due, running) = target.locked { _ -> (Int, (any StreamTimer)?) in
      unsafe number += 1
      unsafe isInInterval = true
      defer { unsafe timer = nil }
      return unsafe (number, timer)
    }
    running?.cancel()
    let reference = WeakCell(target.ref)
    let started = Delivery.callOut {
      clock.schedule(after: interval) { [weak self] in
        guard let self else { return }
        reference.with { target in
          let result = self.flush(to: CellPublisher(target), due: due)
          if result != .outdated { fired(self, CellPublisher(target), result == .published) }
        }
      }
    }
    let outdated = target.locked { _ -> (any StreamTimer)? in
      guard unsafe number == due else { return started }
      unsafe timer = started
      return nil
    }
    outdated?.cancel()
  }
}
