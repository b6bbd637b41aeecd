// Streams of ticks.
extension Subscriber where Value == Int, Failure == Never {
  /// Returns a stream of ticks: after each `interval`, the number of intervals since this call. It does not end by
  /// itself.
  ///
  ///     let clock = Subscriber.every(.seconds(1)).onNewData(on: .main) { show($0) }
  ///
  /// If the clock is late, the missed ticks are coalesced into one, with the number of the last of them. The timer
  /// stops when this subscriber and those derived from it are released. After the end of this stream it fires once more
  /// at most. The interval is rounded down to nanoseconds, and is at least 1 ns.
  ///
  /// - Thread: inline callbacks run where the clock runs its work.
  public static func every(_ interval: Duration, clock: any StreamClock = SystemStreamClock()) -> Subscriber {
    let ticks = Ticks(interval, clock)
    let node = StreamNode(CellPublisher.make(isStateful: false), keeping: ticks)
    ticks.start(WeakCell(node.cell.ref))
    return Subscriber(node: node)
  }
}

/// The timers of a stream of ticks, one at a time. The node of the stream keeps it.
private final class Ticks: Sendable {
  private let interval: Int64
  private let clock: any StreamClock
  private let begin: Duration
  /// The timer of the tick with the highest number, and that number. Guarded by the lock of the stream's publisher.
  nonisolated(unsafe) private var latest: (number: Int64, timer: any StreamTimer)?

  init(_ interval: Duration, _ clock: any StreamClock) {
    self.interval = max(1, interval.nanoseconds)
    self.clock = clock
    begin = clock.now
  }

  deinit { unsafe latest?.timer.cancel() }

  /// Starts the timer of the next tick, unless the stream has ended.
  func start(_ stream: WeakCell) {
    stream.with { cell in
      let publisher = CellPublisher(cell)
      guard publisher.hasFinished == nil else { return }
      let now = clock.now
      let number = passed(at: now) + 1
      let due = begin + Duration.nanoseconds(interval) * number
      let timer = clock.schedule(after: due - now) { [weak self] in self?.tick(stream) }
      // The timer may have fired by now, and another thread may have started the next one. The older one is released
      // outside the lock.
      let older = publisher.locked { _ in
        defer { if unsafe latest.map({ $0.number < number }) ?? true { unsafe latest = (number, timer) } }
        return unsafe latest
      }
      withExtendedLifetime(older) {}
    }
  }

  private func tick(_ stream: WeakCell) {
    stream.with { _ = CellPublisher($0).publish(StreamEvent(.i64(passed(at: clock.now)), .fulfilled)) }
    start(stream)
  }

  /// The number of intervals that have passed.
  private func passed(at time: Duration) -> Int64 { (time - begin).nanoseconds / interval }
}
