/// A subscriber to a stream without errors.
public typealias ValueOnlySubscriber<Value> = Subscriber<Value, Never>

/// A subscriber to a stream of updates without a payload.
public typealias UpdateOnlySubscriber = Subscriber<Void, Never>

extension Subscriber {
  /// Drops the errors.
  public func valueOnly() -> ValueOnlySubscriber<Value> { compactMapErrors { _ in nil } }

  /// Drops the payload: publishes an update for every value and, if `includeErrors` is true, for every error.
  public func didUpdate(includeErrors: Bool = false) -> UpdateOnlySubscriber {
    compactMapStates { state in
      switch state {
      case .data: .data(())
      case .error: includeErrors ? .data(()) : nil
      case .cancelled: .cancelled
      }
    }
  }
}

extension Subscriber where Failure == Never {
  /// Returns the same stream with a failure type, for operators that need one.
  public func fullSubscriber<NewFailure>(
    errorType: NewFailure.Type = NewFailure.self
  ) -> Subscriber<Value, NewFailure> {
    derive { next in StreamSink(value: next.value, other: { if case .cancelled = $0 { next.other(.cancelled) } }) }
  }
}
