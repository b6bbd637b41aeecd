extension Future {
  /// Creates a future that is fulfilled after a delay. A request to cancel cancels it and releases the value at once.
  ///
  /// - Parameters:
  ///   - context: the context in which its callbacks run; `.immediate` stands for `.auto`.
  ///   - value: the value.
  ///   - seconds: the delay from now, in seconds.
  public convenience init(on context: PromiseContext = .auto, fulfilled value: Value, after seconds: Double) {
    self.init(on: context, with: .fulfilled(value), after: seconds)
  }

  /// Creates a future that is rejected after a delay. See `init(on:fulfilled:after:)`.
  public convenience init(on context: PromiseContext = .auto, rejected error: Failure, after seconds: Double) {
    self.init(on: context, with: .rejected(error), after: seconds)
  }

  /// Creates a future that is settled with `result` after a delay. See `init(on:fulfilled:after:)`.
  public convenience init(
    on context: PromiseContext = .auto, with result: FutureResult<Value, Failure>, after seconds: Double
  ) {
    self.init(cell: .pending())
    let resolver = Resolver<Value, Failure>(cell: cell.retained())
    let alarm = Alarm(after: seconds, on: context.deferred.reserved()) { resolver.settle(result) }
    resolver.onCancelRequest { resolver in
      resolver.settle(.cancelled(nil))
      alarm.cancel()
    }
  }

  /// Returns a future with this one's outcome, some seconds later.
  ///
  /// A request to cancel propagates to this future. If this future is then cancelled, the rest of the delay is skipped;
  /// otherwise the result arrives after the full delay.
  ///
  /// - Parameters:
  ///   - context: the context in which its callbacks run; `.immediate` stands for `.auto`.
  ///   - seconds: the delay, in seconds, from the settlement of this future.
  public func delay(on context: PromiseContext = .auto, _ seconds: Double) -> Future {
    let place = context.deferred.reserved()
    defer { withExtendedLifetime(place) {} }
    guard let cell = cell.delay(nanoseconds: Int64(nanosecondsIn: seconds), on: place.executor) else {
      fatalError("no memory for a promise")
    }
    return Future(cell: cell)
  }
}

extension Resolver {
  /// Settles the future if it is pending. A late call is not reported as a second settlement.
  func settle(_ result: FutureResult<Value, Failure>) {
    let (value, outcome) = result.encoded
    _ = cell.settle(value, outcome)
  }
}
