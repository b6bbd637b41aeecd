/// The untyped part of a subscriber: a handle to its publisher in the engine, the callbacks, and the nodes upstream.
///
///     publisher <--(reference)-- [ subscriber's publisher ] <--(reference)-- [ derived publisher ] ...
///                                          ^ handle                                   ^ handle
///                                        node  <------------------(upstream)-------- node
///
/// A node keeps its callbacks subscribed. It keeps the nodes upstream, so a chain of subscribers with all callbacks in
/// it lives by its last element.
final class StreamNode: Sendable {
  let cell: CellPublisher
  /// The subscribers of the engine that call back, with a handle each. Guarded by the lock of `cell`.
  nonisolated(unsafe) private var callbacks: [CellSubscriber] = []
  nonisolated(unsafe) private var upstream: [StreamNode]
  /// The state of an operator that outlives its source.
  nonisolated(unsafe) private let kept: AnyObject?

  /// Takes over a handle.
  init(_ cell: CellPublisher?, upstream: [StreamNode] = [], keeping kept: AnyObject? = nil) {
    guard let cell else { fatalError("no memory for a stream") }
    self.cell = cell
    unsafe self.upstream = upstream
    unsafe self.kept = kept
  }

  deinit {
    // Under the lock only for the happens-before with the threads that added callbacks.
    for callback in cell.locked({ _ in unsafe callbacks }) { callback.releaseHandle() }
    cell.releaseHandle()
    // A work list, so that a long chain is destroyed without recursion.
    var work = unsafe upstream
    unsafe upstream = []
    while var node = work.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      unsafe work += node.upstream
      unsafe node.upstream = []
    }
  }

  /// Returns a node for the results of a function of each state.
  func derived(isStateful: Bool = false, _ function: @escaping StreamFunction) -> StreamNode {
    StreamNode(cell.derived(by: .transform(Transform(function)), isStateful: isStateful), upstream: [self])
  }

  /// Calls back for the states from now on, for as long as the node lives.
  func subscribe(_ kinds: StreamKinds = .all, on context: PromiseContext, _ callback: @escaping StreamCallback) {
    keep(subscribe(kinds, on: context, .unbounded, demand: .max, callback))
  }

  /// Calls back for the states from now on, for as long as the caller keeps the returned handle.
  func subscribe(
    _ kinds: StreamKinds = .all, on context: PromiseContext, _ buffer: StreamBuffer, demand: UInt64,
    _ callback: @escaping StreamCallback
  ) -> CellSubscriber {
    var subscription = Subscription(Receiver(kinds, callback))
    subscription.executor = context.executor
    subscription.yieldsAfterEvent = context.executor?.kind == .foreign
    (subscription.overflow, subscription.capacity) = buffer.policy
    subscription.demand = demand
    subscription.hasEnd = false
    defer { withExtendedLifetime(context) {} }
    guard let subscriber = cell.subscribe(subscription) else { fatalError("no memory for a subscriber") }
    return subscriber
  }

  /// Returns a node for the results of an operator that publishes to its target as it likes.
  func derived(keeping kept: AnyObject? = nil, byFunction function: @escaping Stage.Function) -> StreamNode {
    StreamNode(cell.derived(by: .closure(function)), upstream: [self], keeping: kept)
  }

  /// Publishes each state to another publisher too, for as long as the node lives.
  func forward(to target: CellPublisher) {
    guard let subscriber = cell.forward(to: target, .endsSubscribers) else { fatalError("no memory for a subscriber") }
    keep(subscriber)
  }

  private func keep(_ subscriber: CellSubscriber) {
    guard !subscriber.hasEnded else { return subscriber.releaseHandle() }
    cell.locked { _ in unsafe callbacks.append(subscriber) }
  }
}
