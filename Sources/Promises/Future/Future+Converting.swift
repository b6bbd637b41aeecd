extension Future {
  /// Returns a future without the value, fulfilled when this one is.
  public func mapToVoid() -> Future<Void, Failure> { map { _ in } }

  /// Returns a future of the unwrapped value; cancelled if the value is `nil`.
  public func compactMap<Wrapped>() -> Future<Wrapped, Failure> where Value == Wrapped? {
    mapResult { result in
      result.flatMap { $0.map { .fulfilled($0) } ?? .cancelled(nil) }
    }
  }

  /// Returns a future of the unwrapped value; rejected with `error` if the value is `nil`. The expression is evaluated
  /// only then.
  public func compactMap<Wrapped>(
    onNil error: @escaping @autoclosure () -> Failure
  ) -> Future<Wrapped, Failure> where Value == Wrapped? {
    mapResult { result in
      result.flatMap { $0.map { .fulfilled($0) } ?? .rejected(error()) }
    }
  }
}

extension Future where Failure: Error {
  /// Returns a future settled with the `Result` that is this future's value. Errors and cancellations of this future
  /// are forwarded.
  public func flattened<NewValue>() -> Future<NewValue, Failure> where Value == Result<NewValue, Failure> {
    mapResult { $0.flatMap { FutureResult($0) } }
  }

  /// This future with `any Error` as its failure type.
  public var upcast: Future<Value, any Error> { following() }

  /// Returns this future with `Any` as its value type and `any Error` as its failure type.
  public func typeErased() -> Future<Any, any Error> { upcast.map { $0 as Any } }
}
