extension Future {
  /// A future that is fulfilled once this one is, without the value.
  public func mapToVoid() -> Future<Void, Failure> { map { _ in } }

  /// A future of the value that this one's Optional holds; cancelled if it holds none.
  public func compactMap<Wrapped>() -> Future<Wrapped, Failure> where Value == Wrapped? {
    mapResult { result in
      result.flatMap { $0.map { .fulfilled($0) } ?? .cancelled(nil) }
    }
  }

  /// A future of the value that this one's Optional holds; rejected with `error` if it holds none. The expression is
  /// evaluated if it is needed.
  public func compactMap<Wrapped>(
    onNil error: @escaping @autoclosure () -> Failure
  ) -> Future<Wrapped, Failure> where Value == Wrapped? {
    mapResult { result in
      result.flatMap { $0.map { .fulfilled($0) } ?? .rejected(error()) }
    }
  }
}

extension Future where Failure: Error {
  /// A future of the same value that may fail with any error.
  public var upcast: Future<Value, any Error> { following() }

  /// A future of the same value, of which nothing is known, that may fail with any error.
  public func typeErased() -> Future<Any, any Error> { upcast.map { $0 as Any } }
}
