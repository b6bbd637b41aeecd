// Operators on single states. The functions of values do not see errors and the end, which pass unchanged; the
// functions of errors do not see values and the end.
extension Subscriber {
  /// Transforms every state. If the end becomes a value or an error, the derived stream does not end.
  public func mapStates<NewValue, NewFailure>(
    _ transform: @escaping (State) -> StreamState<NewValue, NewFailure>
  ) -> Subscriber<NewValue, NewFailure> {
    compactMapStates(transform)
  }

  /// Transforms every value.
  @inlinable
  public func mapValues<NewValue>(_ transform: @escaping (Value) -> NewValue) -> Subscriber<NewValue, Failure> {
    derive { next in StreamSink(value: { next.value(transform($0)) }, other: { next.pass($0) }) }
  }

  /// Transforms every error.
  public func mapErrors<NewFailure>(
    _ transform: @escaping (Failure) -> NewFailure
  ) -> Subscriber<Value, NewFailure> {
    splitMapErrors { .error(transform($0)) }
  }

  /// Transforms every value to a state. `.cancelled` ends the derived stream.
  @inlinable
  public func splitMapValues<NewValue>(
    _ transform: @escaping (Value) -> StreamState<NewValue, Failure>
  ) -> Subscriber<NewValue, Failure> {
    derive { next in StreamSink(value: { next.take(transform($0)) }, other: { next.pass($0) }) }
  }

  /// Transforms every error to a state. `.cancelled` ends the derived stream.
  public func splitMapErrors<NewFailure>(
    _ transform: @escaping (Failure) -> StreamState<Value, NewFailure>
  ) -> Subscriber<Value, NewFailure> {
    compactMapErrors(toStates: transform)
  }

  /// Transforms every state, or drops it if the result is `nil`. If the end is dropped, the derived stream does not
  /// end.
  public func compactMapStates<NewValue, NewFailure>(
    _ transform: @escaping (State) -> StreamState<NewValue, NewFailure>?
  ) -> Subscriber<NewValue, NewFailure> {
    derive { next in StreamSink { state in if let new = transform(state) { next.take(new) } } }
  }

  /// Transforms every value, or drops it if the result is `nil`.
  @inlinable
  public func compactMapValues<NewValue>(
    _ transform: @escaping (Value) -> NewValue?
  ) -> Subscriber<NewValue, Failure> {
    derive { next in
      StreamSink(value: { if let new = transform($0) { next.value(new) } }, other: { next.pass($0) })
    }
  }

  /// Transforms every error, or drops it if the result is `nil`.
  public func compactMapErrors<NewFailure>(
    _ transform: @escaping (Failure) -> NewFailure?
  ) -> Subscriber<Value, NewFailure> {
    compactMapErrors(toStates: { error in transform(error).map { .error($0) } })
  }

  private func compactMapErrors<NewFailure>(
    toStates transform: @escaping (Failure) -> StreamState<Value, NewFailure>?
  ) -> Subscriber<Value, NewFailure> {
    derive { next in
      StreamSink(
        value: next.value,
        other: { state in
          switch state {
          case .data: break
          case .error(let error): if let new = transform(error) { next.take(new) }
          case .cancelled: next.other(.cancelled)
          }
        })
    }
  }
}
