/// A future whose work starts at the first access to it.
///
/// The work is released after it has run, or with this object if the future was never accessed. Everything may be
/// called from any thread.
public final class DelayedFuture<Value, Failure>: Equatable {
  private let made: Future<Value, Failure>
  /// Fulfilled to start the work.
  private let start = Promise<Void>()

  /// Creates a future whose work has not started.
  ///
  /// - Parameters:
  ///   - context: the context in which `body` runs; `.immediate` is inside the first access to `future`, but never
  ///     "now".
  ///   - body: called at most once; see `Future.init(on:_:)`.
  public init(on context: PromiseContext = .immediate, _ body: @escaping (Resolver<Value, Failure>) -> Void) {
    let (future, resolver) = Future<Value, Failure>.makeWithResolver()
    made = future
    start.then({ context.later.run { body(resolver) } }, nil)
  }

  /// The future, the same one at each access. The first access starts the work.
  public var future: Future<Value, Failure> {
    start.settle(())
    return made
  }

  /// Returns true if both are the same object.
  public static func == (one: DelayedFuture, other: DelayedFuture) -> Bool { one === other }
}

extension DelayedFuture: @unchecked Sendable where Value: Sendable, Failure: Sendable {}
