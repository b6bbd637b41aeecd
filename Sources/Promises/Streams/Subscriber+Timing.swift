// Operators on the times of states. Timers are those of a clock, the system's unless one is given. The end of the
// source publishes the pending value, then ends the derived stream. A state may be published on the thread of the
// clock, unchecked: the program must not use an object that is not `Sendable` elsewhere meanwhile (decision 0014).
extension Subscriber {
  /// Publishes a value when no other one followed it for `interval`. An error does not wait: it publishes the value
  /// that waits, then passes at once.
  public func debounce(for interval: Duration, clock: any StreamClock = SystemStreamClock()) -> Subscriber {
    paced(.debounce, interval, clock)
  }

  /// Publishes at most one value in each `interval`: the first at once, then, at the end of an interval, the latest one
  /// that arrived in it. With `latest` false, the values that arrive in an interval are dropped. An error does not
  /// wait: it publishes the value that waits, then passes at once, and the interval continues.
  public func throttle(
    for interval: Duration, latest: Bool = true, clock: any StreamClock = SystemStreamClock()
  ) -> Subscriber {
    paced(latest ? .throttle : .throttleFirst, interval, clock)
  }

  /// Publishes `error` and ends when no state has arrived for `interval`.
  public func timeout(
    after interval: Duration, error: Failure, clock: any StreamClock = SystemStreamClock()
  ) -> Subscriber {
    paced(.timeout, interval, clock, silence: State.error(error).stored)
  }

  /// Ends when no state has arrived for `interval`.
  public func timeout(after interval: Duration, clock: any StreamClock = SystemStreamClock()) -> Subscriber {
    paced(.timeout, interval, clock)
  }

  private func paced(
    _ kind: PacingKind, _ interval: Duration, _ clock: any StreamClock, silence: StreamEvent? = nil
  ) -> Subscriber {
    log.note(.operators, "-> \(Subscriber.self)")
    return Subscriber(node: node.paced(kind, interval, on: clock, silence: silence))
  }
}
