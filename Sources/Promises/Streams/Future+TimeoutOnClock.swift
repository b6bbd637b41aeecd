// Timeouts of futures on the clock of streams, for tests with a virtual time.
extension Future {
  /// Returns a future with a timeout on a clock, as `timeout(on:after:)` does. After a timeout, callbacks with
  /// `.immediate` run where the clock runs its work.
  ///
  /// - Parameters:
  ///   - context: the context in which callbacks run.
  ///   - interval: the timeout from now.
  ///   - clock: the clock, such as a ``VirtualStreamClock``.
  public func timeout(
    on context: PromiseContext = .nowOr(.auto), after interval: Duration, clock: any StreamClock
  ) -> Future<Value, TimeoutError<Failure>> {
    ending(on: context, Self.alarm(context, interval, clock), .timedOut) { $0.mapError { .rejected($0) } }
  }

  fileprivate static func alarm(
    _ context: PromiseContext, _ interval: Duration, _ clock: any StreamClock
  ) -> ((_ timeIsUp: @escaping () -> Void) -> Alarm)? {
    guard interval > .zero else { return nil }
    let place = context.later
    return { timeIsUp in
      // Sound: the work is called once, and uses cells alone.
      nonisolated(unsafe) let timeIsUp = timeIsUp
      let timer = clock.schedule(after: interval) { unsafe place.run(timeIsUp) }
      return Alarm { timer.cancel() }
    }
  }
}

extension Future where Failure == any Error {
  /// Returns a future with a timeout on a clock, and untranslated errors. The error of the timeout is a
  /// `TimeoutError<any Error>`.
  public func timeout(
    on context: PromiseContext = .nowOr(.auto), after interval: Duration, clock: any StreamClock
  ) -> Future {
    ending(on: context, Self.alarm(context, interval, clock), TimeoutError<any Error>.timedOut) { $0 }
  }
}
