import Synchronization

/// The untyped part of a subscriber: handles to publishers of the engine, the callbacks, and the nodes upstream.
///
///     publisher <--(reference)-- [ subscriber's publisher ] <--(reference)-- [ derived publisher ] ...
///                                          ^ handle                                   ^ handle
///                                        node  <------------------(upstream)-------- node
///
/// A node keeps its callbacks subscribed. It keeps the nodes upstream, so the last element of a chain of subscribers
/// keeps the chain alive, with all callbacks in it. Nodes of one line (``StreamLine``) share its target, and get a
/// publisher only when it is asked for.
final class StreamNode: Sendable {
  /// The place in a line.
  struct Site {
    let line: StreamLine
    let place: StreamPlace
  }

  /// The callbacks in one context, with a handle to their subscriber. The subscriber keeps them, until it ends.
  private struct Shared {
    let context: PromiseContext
    /// The identity of the executor in the context; nil for `.main`.
    let identity: HeldExecutor.Identity?
    let subscriber: CellSubscriber
    weak var callbacks: StreamCallbacks?
  }

  /// The node's publisher; of a node in a line, the line's target.
  private let base: CellPublisher
  nonisolated(unsafe) private let site: Site?
  /// Whether the node is the consumer of the one upstream.
  private let isConsumer: Bool

  // Guarded by the lock of `base`.
  /// The subscribers of the engine that call back, with a handle each.
  nonisolated(unsafe) private var callbacks: [CellSubscriber] = []
  /// The callbacks that share a context.
  nonisolated(unsafe) private var shared: [Shared] = []
  nonisolated(unsafe) private var upstream: [StreamNode]
  nonisolated(unsafe) private var hasConsumer = false
  /// The publisher of a node in a line.
  nonisolated(unsafe) private var own: CellPublisher?
  /// The target of the line that begins at that publisher with the former consumer.
  nonisolated(unsafe) private var rest: CellPublisher?

  /// Whether the line publishes to `own`.
  private let isConnected = Atomic<Bool>(false)
  /// An object that is released with the node.
  nonisolated(unsafe) private let kept: AnyObject?

  /// Makes a node for a publisher. Takes over a handle.
  init(_ cell: CellPublisher?, upstream: [StreamNode] = [], keeping kept: AnyObject? = nil) {
    guard let cell else { fatalError("no memory for a stream") }
    base = cell
    unsafe site = nil
    isConsumer = false
    unsafe self.upstream = upstream
    unsafe self.kept = kept
  }

  /// Makes the node of a place in a line. Takes over a handle to the line's target.
  init(_ target: CellPublisher, at site: Site, upstream: StreamNode?, isConsumer: Bool = false) {
    base = target
    unsafe self.site = site
    self.isConsumer = isConsumer
    unsafe self.upstream = upstream.map { [$0] } ?? []
    unsafe kept = nil
  }

  deinit {
    // Under the lock only for the happens-before with the threads that wrote.
    let (callbacks, shared, own, rest) = base.locked { _ in
      unsafe (self.callbacks, self.shared, self.own, self.rest)
    }
    unsafe site?.place.released.set()
    for shared in shared {
      shared.callbacks?.silence()
      shared.subscriber.releaseHandle()
    }
    for callback in callbacks { callback.releaseHandle() }
    rest?.releaseHandle()
    own?.releaseHandle()
    // A work list, so that a long chain is destroyed without recursion.
    var work = unsafe upstream.map { (node: $0, isConsumed: isConsumer) }
    unsafe upstream = []
    while var next = work.popLast() {
      guard isKnownUniquelyReferenced(&next.node) else {
        if next.isConsumed { next.node.dropConsumer() }
        continue
      }
      let node = next.node
      unsafe work += node.upstream.map { ($0, node.isConsumer) }
      unsafe node.upstream = []
    }
    base.releaseHandle()
  }

  /// The node's publisher.
  var cell: CellPublisher { unsafe site.map { connected(at: $0) } ?? base }

  /// Whether the stream has ended here.
  var hasEnded: Bool { unsafe site?.place.ended.isSet ?? (base.hasFinished != nil) }

  /// Ends the stream here and downstream, after the states that were published before.
  func cancel() {
    guard let site = unsafe site else {
      return StreamCut.perform(at: base, closesSources: true) { _ = $0.end(.cancelled) }
    }
    let place = site.place
    let line = site.line
    // The line performs the end after the states that its head has accepted.
    guard let source = base.source(0).source else {
      return line.perform(at: place.ordinal, in: base) { place.cancel(in: $0) }
    }
    let target = base
    let isHeld = target.ref.retain()
    StreamCut.perform(at: source) { _ in
      line.perform(at: place.ordinal, in: target) { place.cancel(in: $0) }
      if isHeld { target.ref.release() }
    }
    source.ref.release()
  }

  /// Calls back for the states from now on, for as long as the node lives. Callbacks in one context share turns, except
  /// on the pool, where each has its own.
  func subscribe(_ kinds: StreamKinds = .all, on context: PromiseContext, _ callback: @escaping StreamCallback) {
    switch context.place {
    case .immediate, .global: keep(subscribe(kinds, on: context, .unbounded, demand: .max, callback))
    case .main: share(kinds, on: context, nil, callback)
    // The user's code gives the identity, so it is read without the lock.
    case .executor(let executor): share(kinds, on: context, executor.identity, callback)
    }
  }

  private func share(
    _ kinds: StreamKinds, on context: PromiseContext, _ identity: HeldExecutor.Identity?,
    _ callback: @escaping StreamCallback
  ) {
    let cell = self.cell
    while true {
      guard let (subscriber, callbacks) = base.locked({ _ in sharing(identity) }) else {
        makeShared(in: context, identity, of: cell)
        continue
      }
      let isAdded = callbacks?.add(kinds, callback, to: subscriber, of: cell) ?? false
      if isAdded { return subscriber.ref.release() }
      // The stream has ended: a new subscriber gets the end.
      let ended = base.locked { _ -> Shared? in
        let index = unsafe shared.firstIndex { $0.subscriber == subscriber }
        return index.map { unsafe shared.remove(at: $0) }
      }
      subscriber.ref.release()
      ended?.subscriber.releaseHandle()
    }
  }

  /// Returns the subscriber for the callbacks in a context, with a reference for the caller, and the callbacks; nil if
  /// there is none. Call with the lock held.
  private func sharing(_ identity: HeldExecutor.Identity?) -> (CellSubscriber, StreamCallbacks?)? {
    guard let known = unsafe shared.first(where: { $0.identity == identity }) else { return nil }
    // Another thread may remove it.
    guard known.subscriber.ref.retain() else { fatalError("too many references to a subscriber") }
    return (known.subscriber, known.callbacks)
  }

  /// Makes the subscriber for the callbacks in a context, unless another thread has made it. Call without the lock: a
  /// subscriber has a monitor, and the lock of the list of all monitors comes before each of them.
  private func makeShared(in context: PromiseContext, _ identity: HeldExecutor.Identity?, of cell: CellPublisher) {
    let callbacks = StreamCallbacks()
    var subscription = Subscription(Receiver(.all) { callbacks.receive($0) })
    subscription.executor = context.executor
    subscription.yieldsAfterEvent = context.executor?.kind == .foreign
    subscription.hasEnd = false
    defer { withExtendedLifetime(context) {} }
    guard let subscriber = cell.prepare(subscription) else { fatalError("no memory for a subscriber") }
    let made = Shared(context: context, identity: identity, subscriber: subscriber, callbacks: callbacks)
    let isKept = base.locked { _ in
      guard unsafe !shared.contains(where: { $0.identity == identity }) else { return false }
      unsafe shared.append(made)
      return true
    }
    if !isKept { subscriber.releaseHandle() }
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

  /// Returns a node for the results of a function of each state.
  func derived(isStateful: Bool = false, _ function: @escaping StreamFunction) -> StreamNode {
    StreamNode(cell.derived(by: .transform(Transform(function)), isStateful: isStateful), upstream: [self])
  }

  /// Returns a node for the results of an operator that publishes to its target as it likes.
  func derived(byFunction function: @escaping Stage.Function) -> StreamNode {
    StreamNode(cell.derived(by: .closure(function)), upstream: [self])
  }

  /// Publishes each state to another publisher too, for as long as the node lives.
  func forward(to target: CellPublisher) {
    guard let subscriber = cell.forward(to: target, .endsSubscribers) else { fatalError("no memory for a subscriber") }
    keep(subscriber)
  }

  private func keep(_ subscriber: CellSubscriber) {
    guard !subscriber.hasEnded else { return subscriber.releaseHandle() }
    base.locked { _ in unsafe callbacks.append(subscriber) }
  }
}

// A node in a line.
extension StreamNode {
  /// The number of operators in a line. A value takes that many nested calls.
  private static var limit: Int { 64 }

  /// Reserves the place of the consumer. Nil if the node is not in a line, or another consumer has the place.
  func reserve() -> Site? {
    guard let site = unsafe site else { return nil }
    let isFirst = base.locked { _ in
      defer { unsafe hasConsumer = true }
      return unsafe !hasConsumer
    }
    return isFirst ? site : nil
  }

  /// Reserves the place of the next operator in the line. Nil also if the line is too long.
  func reserveNext() -> Site? { unsafe site.map { $0.place.ordinal < StreamNode.limit } == true ? reserve() : nil }

  /// Adds the consumer whose place was reserved, in a turn of the line. `body` returns the target of the line that
  /// begins with the consumer, if there is one.
  func consume(_ body: @escaping (StreamLine) -> CellPublisher?) {
    perform { [self] line in keepRest(body(line)) }
  }

  /// Runs `body` in a turn of the line that the site is in by then.
  private func perform(_ body: @escaping (StreamLine) -> Void) {
    guard let site = unsafe site else { return }
    site.line.perform(at: site.place.ordinal, in: base, body)
  }

  private func keepRest(_ target: CellPublisher?) {
    if let target { base.locked { _ in unsafe rest = target } }
  }

  /// Returns another handle to the target.
  func retainTarget() -> CellPublisher {
    guard base.retainHandle() == .retained else { fatalError("too many subscribers in a line") }
    return base
  }

  private func dropConsumer() {
    guard let site = unsafe site else { return }
    perform { [self] line in
      site.place.dropConsumer(in: line)
      base.locked { _ in
        defer { unsafe rest = nil }
        return unsafe rest
      }?.releaseHandle()
    }
  }

  /// Returns the node's publisher, to which the line publishes all states that are not yet accepted.
  private func connected(at site: Site) -> CellPublisher {
    if isConnected.load(ordering: .acquiring), let own = base.locked({ _ in unsafe own }) { return own }
    // The target is the source of the new publisher only for back-pressure: it publishes no events.
    let made = base.derived(by: .closure { input, _ in if case .event(let event) = input { event.release() } })
    guard let made else { fatalError("no memory for a stream") }
    let cell = base.locked { _ -> CellPublisher in
      unsafe hasConsumer = true
      let cell = unsafe own ?? made
      unsafe own = cell
      return cell
    }
    if cell != made { made.releaseHandle() }
    perform { [self] line in
      guard !isConnected.load(ordering: .relaxed) else { return }
      keepRest(site.place.connect(to: cell, in: line))
      isConnected.store(true, ordering: .releasing)
    }
    return cell
  }
}
