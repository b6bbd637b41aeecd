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
  /// - Parameter body: called at most once, inside the first access to `future`; see `Future.init(_:)`.
  public convenience init(_ body: @escaping (Resolver<Value, Failure>) -> Void) { self.init(.immediate, body) }

  /// Creates a future whose work has not started. `body` runs in `context`, and never "now". See `Future.init(on:_:)`.
  @_disfavoredOverload
  public convenience init(
    on context: PromiseContext, _ body: sending @escaping (Resolver<Value, Failure>) -> Void
  ) {
    self.init(context, consume body)
  }

  /// Creates a future whose work has not started. `body` runs on the main actor. See `init(_:)`.
  public convenience init(
    on main: MainContext, _ body: consuming @escaping @MainActor (Resolver<Value, Failure>) -> Void
  ) {
    self.init(main.place, main.calling(consume body))
  }

  private init(_ context: PromiseContext, _ body: @escaping (Resolver<Value, Failure>) -> Void) {
    let (future, resolver) = Future<Value, Failure>.makeWithResolver()
    made = future
    let held = SubmittedCallback(Self.starting(body, resolver))
    let cell = future.cell
    start.then({ if let work = held.take() { context.later.run(settling: cell, consume work) } }, nil)
  }

  private static func starting(
    _ body: @escaping (Resolver<Value, Failure>) -> Void, _ resolver: Resolver<Value, Failure>
  ) -> () -> Void {
    { body(resolver) }
  }

  /// The future, the same one at each access. The first access starts the work.
  public var future: Future<Value, Failure> {
    _ = start.cell.settle(.void, .fulfilled)
    return made
  }

  /// Returns true if both are the same object.
  public static func == (one: DelayedFuture, other: DelayedFuture) -> Bool { one === other }
}

extension DelayedFuture: @unchecked Sendable where Value: Sendable, Failure: Sendable {}
