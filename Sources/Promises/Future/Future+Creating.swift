extension Future {
  /// Creates a pending future and runs `body`, which starts the work and keeps the resolver as long as the work may
  /// settle the future.
  ///
  /// - Parameter body: called once, inside this call. If it returns without having settled the future or stored the
  ///   resolver, the future is cancelled.
  public convenience init(_ body: @escaping (Resolver<Value, Failure>) -> Void) {
    self.init(cell: .pending())
    start(on: .immediate, body)
  }

  /// Creates a pending future and runs `body` in `context`. See `init(_:)`.
  ///
  /// If the executor drops the job of `body`, the future is settled with a `PromiseError`: rejected if `Failure` admits
  /// it, and otherwise cancelled, with the error as indirect error.
  @_disfavoredOverload
  public convenience init(
    on context: PromiseContext, _ body: sending @escaping (Resolver<Value, Failure>) -> Void
  ) {
    self.init(cell: .pending())
    start(on: context, consume body)
  }

  /// Creates a pending future and runs `body` on the main actor. See `init(_:)`.
  public convenience init(
    on main: MainContext, _ body: consuming @escaping @MainActor (Resolver<Value, Failure>) -> Void
  ) {
    self.init(cell: .pending())
    start(on: main.place, main.calling(consume body))
  }

  /// Runs `body`, once. An error that it throws rejects the future, if that is still pending.
  private func start(
    on context: PromiseContext, _ body: consuming @escaping (Resolver<Value, Failure>) throws -> Void
  ) {
    context.run(settling: cell, Self.starting(consume body, Resolver(cell: cell.retained())))
  }

  private static func starting(
    _ body: @escaping (Resolver<Value, Failure>) throws -> Void, _ resolver: Resolver<Value, Failure>
  ) -> () -> Void {
    {
      do { try body(resolver) } catch { _ = resolver.cell.settle(rejecting: .encoding(failure: error), reports: false) }
    }
  }

  /// Returns a pending future and its resolver.
  @inlinable public static func makeWithResolver() -> (future: Future, resolver: Resolver<Value, Failure>) {
    let future = Future(cell: .pending())
    return (future, Resolver(cell: future.cell.retained()))
  }

  /// Returns a pending future and its resolver. `discard` is called, once, if the future is discarded as a promise.
  package static func makeWithResolver(discard: @escaping () -> Void) -> (
    future: Future, resolver: Resolver<Value, Failure>
  ) {
    let future = Future(cell: .discardable(discard))
    return (future, Resolver(cell: future.cell.retained()))
  }

  /// Creates a future that is already fulfilled.
  @inlinable public convenience init(fulfilled value: Value) {
    self.init(cell: .settled(.encoding(value), .fulfilled))
  }

  /// Creates a future that is already rejected.
  @inlinable public convenience init(rejected error: Failure) {
    self.init(cell: .settled(.encoding(failure: error), .rejected))
  }

  /// Creates a future that is already cancelled, with an indirect error or without one.
  @inlinable public convenience init(cancelled indirectError: (any Error)?) {
    self.init(cell: .settled(.cancelled(because: indirectError), .rejected))
  }

  /// Creates a future that is already settled with `result`.
  @inlinable public convenience init(with result: FutureResult<Value, Failure>) {
    let (value, outcome) = result.encoded
    self.init(cell: .settled(value, outcome))
  }
}

extension Future where Failure: Error {
  /// Creates a future that is already settled with `result`.
  @inlinable public convenience init(with result: Result<Value, Failure>) {
    self.init(with: FutureResult(result))
  }
}

extension Future where Failure == any Error {
  /// Creates a pending future and runs a throwing `body`, as the initializer with a non-throwing body does. An error
  /// that `body` throws rejects the future, if it is still pending.
  public convenience init(_ body: @escaping (Resolver<Value, Failure>) throws -> Void) {
    self.init(cell: .pending())
    start(on: .immediate, body)
  }

  /// Creates a pending future and runs a throwing `body` in `context`. See `init(_:)`.
  @_disfavoredOverload
  public convenience init(
    on context: PromiseContext, _ body: sending @escaping (Resolver<Value, Failure>) throws -> Void
  ) {
    self.init(cell: .pending())
    start(on: context, consume body)
  }

  /// Creates a pending future and runs a throwing `body` on the main actor. See `init(_:)`.
  public convenience init(
    on main: MainContext, _ body: consuming @escaping @MainActor (Resolver<Value, Failure>) throws -> Void
  ) {
    self.init(cell: .pending())
    start(on: main.place, main.calling(consume body))
  }
}

extension CellRef {
  /// Adds a reference; traps if the promise has too many.
  @usableFromInline func retained() -> CellRef {
    if !retain() { fatalError("too many references to a promise") }
    return self
  }

  @usableFromInline static func settled(_ value: CellValue, _ outcome: Outcome) -> CellRef {
    let cell = CellRef.pending()
    _ = cell.settle(value, outcome)
    return cell
  }
}

extension FutureResult {
  /// The outcome as a cell stores it.
  @inlinable var encoded: (CellValue, Outcome) {
    switch self {
    case .fulfilled(let value): (.encoding(value), .fulfilled)
    case .rejected(let error): (.encoding(failure: error), .rejected)
    case .cancelled(let error): (.cancelled(because: error), .rejected)
    }
  }
}
