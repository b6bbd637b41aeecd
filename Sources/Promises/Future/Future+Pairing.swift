extension Future where Failure: Error {
  /// Returns a future of the value paired with `body`'s result for it. It is rejected with this future's error, or with
  /// an error that `body` throws.
  public func additionally<Other>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ body: @escaping (Value) throws -> Other
  ) -> Future<(Value, Other), any Error> {
    tryMap(on: context, token: token) { ($0, try body($0)) }
  }

  /// Returns a future of the value paired with that of the future `body` returns for it. If either of the two is
  /// rejected or cancelled, the result has that outcome; an error that `body` throws rejects it.
  public func additionally<Other, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    async body: @escaping (Value) throws -> Future<Other, E>
  ) -> Future<(Value, Other), any Error> {
    tryFlatMap(on: context, token: token) { value in try body(value).map { (value, $0) } }
  }
}
