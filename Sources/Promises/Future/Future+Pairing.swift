extension Future where Failure: Error {
  /// A future of the value and what `body` makes of it. Rejected with the error of this one, or that `body` throws.
  public func additionally<Other>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ body: @escaping (Value) throws -> Other
  ) -> Future<(Value, Other), any Error> {
    tryMap(on: context, token: token) { ($0, try body($0)) }
  }

  /// A future of the value and that of the future which `body` returns for it. It ends as whichever of the two is
  /// rejected or cancelled, or with the error that `body` throws.
  public func additionally<Other, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    async body: @escaping (Value) throws -> Future<Other, E>
  ) -> Future<(Value, Other), any Error> {
    tryFlatMap(on: context, token: token) { value in try body(value).map { (value, $0) } }
  }
}
