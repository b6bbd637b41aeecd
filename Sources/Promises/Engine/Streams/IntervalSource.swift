import CPlatform

/// The source of a publisher of ticks: one timer at a time, for the next tick.
///
/// A tick's number is the number of intervals since the beginning, so missed ticks are coalesced into one. The timer
/// has a weak reference to the publisher. It stops when the publisher has neither handles nor subscribers.
struct IntervalSource {
  let begin: Int64
  let interval: Int64
  let executor: CellExecutor?
  /// The timer of the tick with the highest number, once it has started; and that number.
  var timer: CellTimer?
  var number: Int64 = 0

  /// The time at which a tick is due; `.max` on overflow.
  func deadline(of number: Int64) -> Int64 {
    let (passed, overflows) = interval.multipliedReportingOverflow(by: number)
    return overflows ? .max : CellTimer.deadline(passed, after: begin)
  }

  func release() {
    timer?.cancel()
    timer?.release()
    executor?.ref.release()
  }
}

extension CellPublisher {
  /// Returns a publisher of the number of passed intervals. It publishes on the executor, or without one on the timer
  /// thread. Nil when memory or threads have run out.
  package static func every(nanoseconds: Int64, on executor: CellExecutor?) -> CellPublisher? {
    if let executor, !executor.ref.retain() { return nil }
    var state = State(isStateful: false)
    state.intervalSource = IntervalSource(begin: platform_now(), interval: nanoseconds, executor: executor)
    guard let publisher = make(state, isDerived: true) else {
      executor?.ref.release()
      return nil
    }
    if publisher.startTimer(of: 1) { return publisher }
    publisher.releaseHandle()
    return nil
  }

  /// Starts the timer of a tick, unless the publisher is unused. False when memory or threads have run out: then the
  /// stream has failed.
  private func startTimer(of number: Int64) -> Bool {
    guard let intervalSource = locked({ $0.intervalSource }) else { return true }
    let made = unsafe CellTimer.make(
      on: intervalSource.executor, CellPublisher.tick, dropped: CellPublisher.drop, WeakCell(ref).context)
    guard let timer = made else {
      failIntervals(.outOfMemory)
      return false
    }
    let hasStarted = timer.start(at: intervalSource.deadline(of: number)) { failIntervals(.outOfMemory) }
    // Another thread may have started the next timer already, or the publisher may be unused.
    let (superfluous, isStopped) = locked { state -> (CellTimer?, Bool) in
      guard let latest = state.intervalSource else { return (timer, true) }
      guard latest.number < number else { return (timer, false) }
      state.intervalSource?.timer = timer
      state.intervalSource?.number = number
      return (latest.timer, false)
    }
    if isStopped { timer.cancel() }
    superfluous?.release()
    return hasStarted
  }

  private static var tick: FreeFunction {
    { context in
      unsafe WeakCell(context: context).with { cell in
        let publisher = CellPublisher(cell)
        guard let intervalSource = publisher.locked({ $0.intervalSource }) else { return }
        let number = (platform_now() - intervalSource.begin) / intervalSource.interval
        let event = StreamEvent(CellValue(kind: .u64, bits: UInt64(number)), .fulfilled)
        if publisher.publish(event) != .ended { _ = publisher.startTimer(of: number + 1) }
      }
    }
  }

  /// Ends a stream whose timer is dropped by an executor that shuts down.
  private static var drop: FreeFunction {
    { context in unsafe WeakCell(context: context).with { CellPublisher($0).failIntervals(.closed) } }
  }

  private func failIntervals(_ fault: Fault) {
    let intervalSource = locked { state -> IntervalSource? in
      defer { state.intervalSource = nil }
      return state.intervalSource
    }
    guard let intervalSource else { return }
    _ = end(.fault(fault))
    intervalSource.release()
  }
}
