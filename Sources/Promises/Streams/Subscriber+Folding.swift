// Operators that fold values. An operator has one accumulated value, however many callbacks there are downstream.
extension Subscriber {
  /// Publishes the running fold of the values: each value produces a new accumulated value, beginning with `initial`,
  /// which itself is not published. Errors pass, and keep the accumulated value.
  @inlinable
  public func scan<Result>(
    _ initial: Result, _ next: @escaping (_ accumulated: Result, _ value: Value) -> Result
  ) -> Subscriber<Result, Failure> {
    var accumulated = initial
    return mapValues { value in
      accumulated = next(accumulated, value)
      return accumulated
    }
  }

  /// Publishes the fold of all values at the end of this stream, then ends: `initial` if there was no value. Errors
  /// pass at once, and keep the accumulated value.
  @inlinable
  public func reduce<Result>(
    _ initial: Result, _ next: @escaping (_ accumulated: Result, _ value: Value) -> Result
  ) -> Subscriber<Result, Failure> {
    var accumulated = initial
    return derive { sink in
      StreamSink(
        value: { accumulated = next(accumulated, $0) },
        other: { state in
          if case .cancelled = state { sink.value(accumulated) }
          sink.pass(state)
        })
    }
  }
}
