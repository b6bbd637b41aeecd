extension Future {
  /// Creates a pending future and runs `body`, which starts the work and keeps the resolver for as long as the work may
  /// still settle the future.
  ///
  /// - Parameters:
  ///   - context: where `body` runs; `.immediate` is inside this call.
  ///   - body: called once. Unless it has settled the future or given the resolver away when it returns, the future is
  ///     cancelled.
  public convenience init(
    on context: PromiseContext = .immediate, _ body: @escaping (Resolver<Value, Failure>) -> Void
  ) {
    self.init(cell: .pending())
    let resolver = Resolver<Value, Failure>(cell: cell.retained())
    context.run { body(resolver) }
  }

  /// A pending future, and what settles it.
  public static func makeWithResolver() -> (future: Future, resolver: Resolver<Value, Failure>) {
    let future = Future(cell: .pending())
    return (future, Resolver(cell: future.cell.retained()))
  }

  /// Creates a future that is fulfilled already.
  public convenience init(fulfilled value: Value) {
    self.init(cell: .settled(.encoding(value), .fulfilled))
  }

  /// Creates a future that is rejected already.
  public convenience init(rejected error: Failure) {
    self.init(cell: .settled(.encoding(failure: error), .rejected))
  }

  /// Creates a future that is cancelled already, because of an error or for no reason.
  public convenience init(cancelled indirectError: (any Error)?) {
    self.init(cell: .settled(.cancelled(because: indirectError), .rejected))
  }

  /// Creates a future that has ended so.
  public convenience init(with result: FutureResult<Value, Failure>) {
    let (value, outcome) = result.encoded
    self.init(cell: .settled(value, outcome))
  }
}

extension Future where Failure: Error {
  /// Creates a future that has ended so.
  public convenience init(with result: Result<Value, Failure>) {
    self.init(with: FutureResult(result))
  }
}

extension Future where Failure == any Error {
  /// Creates a pending future and runs `body`, as the initializer with a body that does not throw. An error that `body`
  /// throws rejects the future, unless it is settled by then.
  public convenience init(
    on context: PromiseContext = .immediate, _ body: @escaping (Resolver<Value, Failure>) throws -> Void
  ) {
    self.init(cell: .pending())
    let resolver = Resolver<Value, Failure>(cell: cell.retained())
    context.run {
      do { try body(resolver) } catch { _ = resolver.cell.settle(rejecting: .encoding(failure: error), reports: false) }
    }
  }
}

extension CellRef {
  /// Another reference, for a caller that cannot go on without.
  @usableFromInline func retained() -> CellRef {
    if !retain() { fatalError("too many references to a promise") }
    return self
  }

  static func settled(_ value: CellValue, _ outcome: Outcome) -> CellRef {
    let cell = CellRef.pending()
    _ = cell.settle(value, outcome)
    return cell
  }
}

extension FutureResult {
  /// As a cell stores it.
  var encoded: (CellValue, Outcome) {
    switch self {
    case .fulfilled(let value): (.encoding(value), .fulfilled)
    case .rejected(let error): (.encoding(failure: error), .rejected)
    case .cancelled(let error): (.cancelled(because: error), .rejected)
    }
  }
}
