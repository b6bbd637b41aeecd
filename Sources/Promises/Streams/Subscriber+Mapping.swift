// Operators on single states. The functions of values do not see errors and the end, which pass unchanged; the functions
// of errors do not see values and the end.
extension Subscriber {
  /// Transforms every state. If the end becomes a value or an error, the derived stream does not end.
  public func mapStates<NewValue, NewFailure>(
    _ transform: @escaping (State) -> StreamState<NewValue, NewFailure>
  ) -> Subscriber<NewValue, NewFailure> {
    compactMapStates(transform)
  }

  /// Transforms every value.
  public func mapValues<NewValue>(_ transform: @escaping (Value) -> NewValue) -> Subscriber<NewValue, Failure> {
    splitMapValues { .data(transform($0)) }
  }

  /// Transforms every error.
  public func mapErrors<NewFailure>(
    _ transform: @escaping (Failure) -> NewFailure
  ) -> Subscriber<Value, NewFailure> {
    splitMapErrors { .error(transform($0)) }
  }

  /// Transforms every value to a state. `.cancelled` ends the derived stream.
  public func splitMapValues<NewValue>(
    _ transform: @escaping (Value) -> StreamState<NewValue, Failure>
  ) -> Subscriber<NewValue, Failure> {
    compactMapStates { state in
      switch state {
      case .data(let value): transform(value)
      case .error(let error): .error(error)
      case .cancelled: .cancelled
      }
    }
  }

  /// Transforms every error to a state. `.cancelled` ends the derived stream.
  public func splitMapErrors<NewFailure>(
    _ transform: @escaping (Failure) -> StreamState<Value, NewFailure>
  ) -> Subscriber<Value, NewFailure> {
    compactMapStates { state in
      switch state {
      case .data(let value): .data(value)
      case .error(let error): transform(error)
      case .cancelled: .cancelled
      }
    }
  }

  /// Transforms every state, or drops it if the result is `nil`. If the end is dropped, the derived stream does not
  /// end.
  public func compactMapStates<NewValue, NewFailure>(
    _ transform: @escaping (State) -> StreamState<NewValue, NewFailure>?
  ) -> Subscriber<NewValue, NewFailure> {
    derive { state, out in transform(state.state())?.leave(in: &out) ?? .skip }
  }

  /// Transforms every value, or drops it if the result is `nil`.
  public func compactMapValues<NewValue>(
    _ transform: @escaping (Value) -> NewValue?
  ) -> Subscriber<NewValue, Failure> {
    compactMapStates { state in
      switch state {
      case .data(let value): transform(value).map { .data($0) }
      case .error(let error): .error(error)
      case .cancelled: .cancelled
      }
    }
  }

  /// Transforms every error, or drops it if the result is `nil`.
  public func compactMapErrors<NewFailure>(
    _ transform: @escaping (Failure) -> NewFailure?
  ) -> Subscriber<Value, NewFailure> {
    compactMapStates { state in
      switch state {
      case .data(let value): .data(value)
      case .error(let error): transform(error).map { .error($0) }
      case .cancelled: .cancelled
      }
    }
  }

  func derive<NewValue, NewFailure>(
    isStateful: Bool = false, _ function: @escaping StreamFunction
  ) -> Subscriber<NewValue, NewFailure> {
    log.note(.operators, "-> \(Subscriber<NewValue, NewFailure>.self)")
    return Subscriber<NewValue, NewFailure>(node: node.derived(isStateful: isStateful, function))
  }
}
