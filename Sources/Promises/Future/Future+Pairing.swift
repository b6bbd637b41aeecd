// Pairs of values. `Future+Observing.swift` describes their three forms.
extension Future where Failure: Error {
  /// Returns a future of the value paired with `body`'s result for it. It is rejected with this future's error, or with
  /// an error that `body` throws.
  @inlinable
  public func additionally<Other>(token: InvalidationToken? = nil, _ body: consuming @escaping (Value) throws -> Other)
    -> Future<(Value, Other), any Error>
  {
    derive(on: .immediate, token: token, .transforming(.fulfilled), Self.pairing(consume body))
  }

  /// Calls the closure on the main actor. See `additionally(token:_:)`.
  @inlinable public func additionally<Other>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ body: consuming @escaping @MainActor (Value) throws -> Other
  ) -> Future<(Value, Other), any Error> {
    derive(on: main.place, token: token, .transforming(.fulfilled), Self.pairing(main.calling(consume body)))
  }

  /// Calls the closure in `context`. See `additionally(token:_:)`.
  @inlinable public func additionally<Other>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ body: sending @escaping (Value) throws -> Other
  ) -> Future<(Value, Other), any Error> {
    derive(on: context, token: token, .transforming(.fulfilled), Self.pairing(consume body))
  }

  /// Returns a future of the value paired with that of the future `body` returns for it. If either of the two is
  /// rejected or cancelled, the result has that outcome; an error that `body` throws rejects it.
  ///
  /// Write the label: a closure without it selects `additionally(token:_:)`, which pairs the value with the future
  /// itself.
  @_disfavoredOverload
  @inlinable public func additionally<Other, E: Error>(
    token: InvalidationToken? = nil, async body: consuming @escaping (Value) throws -> Future<Other, E>
  ) -> Future<(Value, Other), any Error> {
    derive(on: .immediate, token: token, .transforming(.fulfilled), Self.pairing(async: consume body))
  }

  /// Calls the closure on the main actor. See `additionally(token:async:)`.
  @_disfavoredOverload
  @inlinable public func additionally<Other, E: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    async body: consuming @escaping @MainActor (Value) throws -> Future<Other, E>
  ) -> Future<(Value, Other), any Error> {
    derive(on: main.place, token: token, .transforming(.fulfilled), Self.pairing(async: main.calling(consume body)))
  }

  /// Calls the closure in `context`. See `additionally(token:async:)`.
  @_disfavoredOverload
  @inlinable public func additionally<Other, E: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    async body: sending @escaping (Value) throws -> Future<Other, E>
  ) -> Future<(Value, Other), any Error> {
    derive(on: context, token: token, .transforming(.fulfilled), Self.pairing(async: consume body))
  }

  @inlinable static func pairing<Other>(_ body: @escaping (Value) throws -> Other) -> Closure {
    mapping { ($0, try body($0)) }
  }

  @inlinable static func pairing<Other, E: Error>(async body: @escaping (Value) throws -> Future<Other, E>) -> Closure {
    flatMapping { value in try body(value).map { (value, $0) } }
  }
}
