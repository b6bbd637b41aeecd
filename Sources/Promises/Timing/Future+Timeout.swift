extension Future {
  /// A future that ends as this one, if that is in time; otherwise it is rejected with `TimeoutError.timedOut`, and this
  /// one is asked to cancel if nobody else is interested in it.
  ///
  /// - Parameters:
  ///   - context: where its callbacks run. After the time they run on `.auto` for `.immediate`.
  ///   - seconds: the time, from now. If there is none, this future is in time if it is settled: to be seen at once for
  ///     `.immediate` and `.nowOr`, for others when the context comes to it.
  public func timeout(
    on context: PromiseContext = .nowOr(.auto), after seconds: Double
  ) -> Future<Value, TimeoutError<Failure>> {
    ending(on: context, after: seconds, .timedOut) { $0.mapError { .rejected($0) } }
  }

  private func ending<NewFailure>(
    on context: PromiseContext, after seconds: Double, _ timedOut: NewFailure,
    _ translate: @escaping (FutureResult<Value, Failure>) -> FutureResult<Value, NewFailure>
  ) -> Future<Value, NewFailure> {
    let (future, resolver) = Future<Value, NewFailure>.makeWithResolver()
    let source: Future = following()
    resolver.onCancelRequest { _ in source.requestCancel() }
    let timeIsUp = {
      if let result = source.result { return resolver.settle(translate(result)) }
      resolver.settle(.rejected(timedOut))
      source.requestCancel()
    }
    let hasTime = seconds > 0
    if hasTime && !source.isSettled {
      let alarm = Alarm(after: seconds, on: context.deferred.reserved(), timeIsUp)
      source.observe(on: .immediate, token: nil, .observing(.all)) { _, _, _ in
        alarm.callOff()
        return .leave
      }
    }
    source.observe(
      on: context, token: nil, .observing(.all),
      Reactions.onResult(of: Future.self) { result, _ in
        resolver.settle(translate(result))
        return .leave
      })
    if !hasTime { context.run(timeIsUp) }
    return future
  }
}

extension Future where Failure == any Error {
  /// The same, with errors as they are: that of the timeout is a `TimeoutError<any Error>`.
  public func timeout(on context: PromiseContext = .nowOr(.auto), after seconds: Double) -> Future {
    ending(on: context, after: seconds, TimeoutError<any Error>.timedOut) { $0 }
  }
}

/// Why a future with a timeout failed.
public enum TimeoutError<Failure> {
  /// The time was over.
  case timedOut
  /// The future that was waited for failed.
  case rejected(Failure)
}

extension TimeoutError: Sendable where Failure: Sendable {}
extension TimeoutError: Error where Failure: Error {}
extension TimeoutError: Equatable where Failure: Equatable {}
extension TimeoutError: Hashable where Failure: Hashable {}

extension TimeoutError: CustomStringConvertible {
  /// What happened, for people.
  public var description: String {
    switch self {
    case .timedOut: "The operation timed out."
    case .rejected(let error): "\(error)"
    }
  }
}
