/// A future whose work starts when somebody first asks for it.
///
/// The work is released when it has run, or with this object if nobody asked. Everything may be called from any thread.
public final class DelayedFuture<Value, Failure>: Equatable {
  private let made: Future<Value, Failure>
  /// Fulfilled to start the work.
  private let start = Promise<Void>()

  /// Creates a future of work that has not started.
  ///
  /// - Parameters:
  ///   - context: where `body` runs; `.immediate` is inside the call that first asks for the future, but never "now".
  ///   - body: called at most once; see `Future.init(on:_:)`.
  public init(on context: PromiseContext = .immediate, _ body: @escaping (Resolver<Value, Failure>) -> Void) {
    let (future, resolver) = Future<Value, Failure>.makeWithResolver()
    made = future
    start.then({ context.later.run { body(resolver) } }, nil)
  }

  /// The future: the same one each time.
  public var future: Future<Value, Failure> {
    start.settle(())
    return made
  }

  /// Whether both are the same.
  public static func == (one: DelayedFuture, other: DelayedFuture) -> Bool { one === other }
}

extension DelayedFuture: @unchecked Sendable where Value: Sendable, Failure: Sendable {}
