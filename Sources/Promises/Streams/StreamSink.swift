/// The functions that take the states at one place of a line: one function takes values, the other errors and the end.
///
/// An operator makes the sink of its source from the sink of its results. The functions of a line are composed in this
/// way, so a value passes from one to the next by a call.
@usableFromInline
struct StreamSink<Value, Failure> {
  @usableFromInline let value: (Value) -> Void
  /// Never called with `.data`.
  @usableFromInline let other: (StreamState<Value, Failure>) -> Void

  @inlinable
  init(value: @escaping (Value) -> Void, other: @escaping (StreamState<Value, Failure>) -> Void) {
    self.value = value
    self.other = other
  }

  /// Makes a sink of one function for all states.
  init(_ all: @escaping (StreamState<Value, Failure>) -> Void) {
    self.init(value: { all(.data($0)) }, other: all)
  }

  @inlinable
  func take(_ state: StreamState<Value, Failure>) {
    if case .data(let value) = state { self.value(value) } else { other(state) }
  }

  /// Passes errors and the end of a stream of other values.
  @usableFromInline
  func pass<Other>(_ state: StreamState<Other, Failure>) {
    switch state {
    case .data: break
    case .error(let error): other(.error(error))
    case .cancelled: other(.cancelled)
    }
  }
}
