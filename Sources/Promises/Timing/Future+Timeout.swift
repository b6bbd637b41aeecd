extension Future {
  /// Returns a future with this one's outcome, or one rejected with `TimeoutError.timedOut` if this future is still
  /// pending after the timeout. Then this future is also asked to cancel, if it has no other consumers.
  ///
  /// The timeout is over, and its timer stopped, when the returned future is settled, or released without a callback.
  ///
  /// - Parameters:
  ///   - context: the context in which callbacks run. After a timeout, `.immediate` stands for `.auto`.
  ///   - seconds: the timeout from now, in seconds. With 0 or less, this future is in time only if it is already
  ///     settled. `.immediate` and `.nowOr` test that within this call, other contexts when they run the test.
  public func timeout(
    on context: PromiseContext = .nowOr(.auto), after seconds: Double
  ) -> Future<Value, TimeoutError<Failure>> {
    ending(on: context, Alarm.making(after: seconds, on: context), .timedOut) { $0.mapError { .rejected($0) } }
  }

  /// Returns a future with a timeout. `alarm` starts the timer that calls a function when the time is up; nil: it is up
  /// now.
  func ending<NewFailure>(
    on context: PromiseContext, _ alarm: ((_ timeIsUp: @escaping () -> Void) -> Alarm)?, _ timedOut: NewFailure,
    _ translate: @escaping (FutureResult<Value, Failure>) -> FutureResult<Value, NewFailure>
  ) -> Future<Value, NewFailure> {
    let source: Future = following()
    // The timer's reference to the source must not count as interest.
    source.cell.seal()
    let limited = Future<Value, NewFailure>(
      cell: source.cell.derive(
        context, isOwn: true,
        Reactions.onResult(of: Future.self) { result, out in out.leave(result: translate(result)) }))
    // Not held: without callbacks, the result ends with its last reference, and the timer with it.
    let weak = WeakCell(limited.cell)
    let timeIsUp = {
      // In time, though the context is late to settle the result.
      if source.isSettled { return }
      weak.with { limited in
        let (value, outcome) = FutureResult<Value, NewFailure>.rejected(timedOut).encoded
        limited.leaveSource { limited.settle(value, outcome) }
      }
    }
    if let alarm {
      if !source.isSettled { alarm(timeIsUp).cancel(atEndOf: limited.cell) }
    } else {
      context.run(timeIsUp)
    }
    return limited
  }
}

extension Future where Failure == any Error {
  /// Returns a future with a timeout and untranslated errors. The error of the timeout is a `TimeoutError<any Error>`.
  public func timeout(on context: PromiseContext = .nowOr(.auto), after seconds: Double) -> Future {
    ending(on: context, Alarm.making(after: seconds, on: context), TimeoutError<any Error>.timedOut) { $0 }
  }
}

/// The error of a future with a timeout.
public enum TimeoutError<Failure> {
  /// The timeout has passed.
  case timedOut
  /// The source future was rejected, with this error.
  case rejected(Failure)
}

extension TimeoutError: Sendable where Failure: Sendable {}
extension TimeoutError: Error where Failure: Error {}
extension TimeoutError: Equatable where Failure: Equatable {}
extension TimeoutError: Hashable where Failure: Hashable {}

extension TimeoutError: CustomStringConvertible {
  /// The error's text for people.
  public var description: String {
    switch self {
    case .timedOut: "The operation timed out."
    case .rejected(let error): "\(error)"
    }
  }
}
