extension Future {
  /// Creates a future that is fulfilled after some time. A request to cancel cancels it and lets go of the value at once.
  ///
  /// - Parameters:
  ///   - context: where its callbacks run; `.immediate` stands for `.auto`.
  ///   - value: the value.
  ///   - seconds: the time, from now.
  public convenience init(on context: PromiseContext = .auto, fulfilled value: Value, after seconds: Double) {
    self.init(on: context, with: .fulfilled(value), after: seconds)
  }

  /// Creates a future that is rejected after some time. See `init(on:fulfilled:after:)`.
  public convenience init(on context: PromiseContext = .auto, rejected error: Failure, after seconds: Double) {
    self.init(on: context, with: .rejected(error), after: seconds)
  }

  /// Creates a future that ends so after some time. See `init(on:fulfilled:after:)`.
  public convenience init(
    on context: PromiseContext = .auto, with result: FutureResult<Value, Failure>, after seconds: Double
  ) {
    self.init(cell: .pending())
    let resolver = Resolver<Value, Failure>(cell: cell.retained())
    let alarm = Alarm(after: seconds, on: context.deferred.reserved()) { resolver.settle(result) }
    resolver.onCancelRequest { resolver in
      resolver.settle(.cancelled(nil))
      alarm.callOff()
    }
  }

  /// A future that ends as this one some seconds later, whichever way.
  ///
  /// A request to cancel is one of this future. If this one is cancelled then, the rest of the time is left out;
  /// otherwise the result comes when it would have come.
  ///
  /// - Parameters:
  ///   - context: where its callbacks run; `.immediate` stands for `.auto`.
  ///   - seconds: the time, from when this future is settled.
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
  /// Ends the future so, unless it has ended: to come second is no mistake of anybody's here.
  func settle(_ result: FutureResult<Value, Failure>) {
    let (value, outcome) = result.encoded
    _ = cell.settle(value, outcome)
  }
}
