/// The untyped part of a subscriber: a handle to its publisher in the engine, the callbacks, and the nodes upstream.
///
///     publisher <--(reference)-- [ subscriber's publisher ] <--(reference)-- [ derived publisher ] ...
///                                          ^ handle                                   ^ handle
///                                        node  <------------------(upstream)-------- node
///
/// A node keeps its callbacks subscribed. It keeps the nodes upstream, so a chain of subscribers with all callbacks in
/// it lives by its last element.
final class StreamNode {
  let cell: CellPublisher
  /// The subscribers of the engine that call back, with a handle each. Guarded by the lock of `cell`.
  private var callbacks: [CellSubscriber] = []
  private var upstream: [StreamNode]

  /// Takes over a handle.
  init(_ cell: CellPublisher?, upstream: [StreamNode] = []) {
    guard let cell else { fatalError("no memory for a stream") }
    self.cell = cell
    self.upstream = upstream
  }

  deinit {
    // Under the lock only for the happens-before with the threads that added callbacks.
    for callback in cell.locked({ _ in callbacks }) { callback.releaseHandle() }
    cell.releaseHandle()
    // A work list, so that a long chain is destroyed without recursion.
    var work = upstream
    upstream = []
    while var node = work.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      work += node.upstream
      node.upstream = []
    }
  }

  /// Returns a node for the results of a function of each state.
  func derived(isStateful: Bool = false, _ function: @escaping StreamFunction) -> StreamNode {
    StreamNode(cell.derived(by: .transform(Transform(function)), isStateful: isStateful), upstream: [self])
  }

  /// Calls back for the states from now on, for as long as the node lives.
  func subscribe(_ kinds: StreamKinds = .all, on context: PromiseContext, _ callback: @escaping StreamCallback) {
    var subscription = Subscription(Receiver(kinds, callback))
    subscription.executor = context.executor
    subscription.yieldsAfterEvent = context.executor?.kind == .foreign
    subscription.hasEnd = false
    keep(cell.subscribe(subscription))
    withExtendedLifetime(context) {}
  }

  /// Publishes each state to another publisher too, for as long as the node lives.
  func forward(to target: CellPublisher) { keep(cell.forward(to: target, .endsSubscribers)) }

  private func keep(_ subscriber: CellSubscriber?) {
    guard let subscriber else { fatalError("no memory for a subscriber") }
    guard !subscriber.hasEnded else { return subscriber.releaseHandle() }
    cell.locked { _ in callbacks.append(subscriber) }
  }
}
