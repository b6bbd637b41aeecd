/// A state of a stream as the engine stores it. The value is borrowed.
enum StoredState {
  case value(CellValue)
  case error(CellValue)
  case end

  /// Returns the state with its types.
  func state<Value, Failure>(
    _ type: StreamState<Value, Failure>.Type = StreamState<Value, Failure>.self
  ) -> StreamState<Value, Failure> {
    switch self {
    case .value(let value): .data(value.streamed(as: Value.self))
    case .error(let value): .error(value.streamed(as: Failure.self))
    case .end: .cancelled
    }
  }
}

extension CellValue {
  /// Returns the payload of a state. Only Swift publishes to these streams, so a value of another type is an error of
  /// the engine, which had no memory for an event.
  func streamed<Payload>(as type: Payload.Type) -> Payload {
    if let payload = decoded(as: Payload.self) { return payload }
    if let wrapper = RejectionReason(reason) as? Payload { return wrapper }
    fatalError("expected a state with a payload of type \(Payload.self), but the engine published \(any)")
  }
}

extension StreamState {
  /// The event of the engine, whose value the caller owns; `nil` for the end.
  var stored: StreamEvent? {
    switch self {
    case .data(let value): StreamEvent(.encoding(value), .fulfilled)
    case .error(let error): StreamEvent(.encoding(failure: error), .rejected)
    case .cancelled: nil
    }
  }

  /// Stores the result of an operator, and returns the verdict for the engine.
  func leave(in out: inout CellValue) -> StreamVerdict {
    guard let event = stored else { return .cancel }
    out = event.value
    return event.outcome.isRejected ? .publishError : .publish
  }
}
