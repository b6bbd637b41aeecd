import Synchronization

/// Tells callbacks that were registered with it that they are not wanted any more.
public final class InvalidationToken: Sendable {
  let generation = Generation()

  /// Creates a token.
  public init() {}

  /// From now on, callbacks registered with the token before are not called.
  public func invalidate() { generation.advance() }
}

/// How often a token was invalidated. Callbacks hold this, not the token.
final class Generation: Sendable {
  private let count = Atomic<Int>(0)

  var current: Int { count.load(ordering: .acquiring) }
  func advance() { count.wrappingAdd(1, ordering: .releasing) }
}

/// What a callback keeps of its token: whether it was invalidated since the callback was registered.
struct TokenGate {
  private let generation: Generation
  private let registered: Int

  init(_ token: InvalidationToken) {
    generation = token.generation
    registered = generation.current
  }

  var isOpen: Bool { generation.current == registered }
}
