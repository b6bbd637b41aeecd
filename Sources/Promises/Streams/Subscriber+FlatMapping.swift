/// The inner streams of `flatMapValues` that are published.
public enum FlatMapStrategy: Sendable {
  /// All at once.
  case merge
  /// One after the other: the transformation of a value waits for the end of the stream before.
  case concat
  /// The latest one: a new value unsubscribes from the stream before.
  case latest
}

extension Subscriber {
  /// Transforms every value to a stream, and publishes the values and errors of these streams. Errors of this stream
  /// pass at once. Ends when this stream and the inner streams have ended.
  public func flatMapValues<NewValue>(
    _ strategy: FlatMapStrategy = .merge, _ transform: @escaping (Value) -> Subscriber<NewValue, Failure>
  ) -> Subscriber<NewValue, Failure> {
    log.note(.operators, "flatMapValues \(strategy)")
    let flattening = Flattening(strategy) { transform($0.streamed(as: Value.self)).node }
    let derived = node.derived(
      keeping: flattening,
      byFunction: { input, target in
        switch input {
        case .event(let event) where event.outcome.isRejected: _ = target.publish(event)
        case .event(let event): flattening.add(event, target)
        case .end: flattening.sourceEnded(target)
        }
      })
    return Subscriber<NewValue, Failure>(node: derived)
  }
}

/// The inner streams of one flat map. The lock of the target guards the state. The target's node keeps this object
/// alive, because inner streams outlive the source.
private final class Flattening {
  private struct Inner {
    let node: StreamNode
    var subscriber: CellSubscriber?
  }

  private let strategy: FlatMapStrategy
  private let transform: (CellValue) -> StreamNode
  private var inner: [Int: Inner] = [:]
  private var number = 0
  /// Values that wait for their turn, for `concat`.
  private var waiting = EventQueue()
  private var hasSourceEnded = false
  /// Whether a thread is starting inner streams. It also starts those of other threads, so that nothing recurses.
  private var isStarting = false

  init(_ strategy: FlatMapStrategy, _ transform: @escaping (CellValue) -> StreamNode) {
    self.strategy = strategy
    self.transform = transform
  }

  deinit {
    waiting.release()
    for inner in inner.values { inner.subscriber?.releaseHandle() }
  }

  /// Takes ownership of a value.
  func add(_ event: StreamEvent, _ target: CellPublisher) {
    target.locked { _ in
      guard waiting.push(event) else { fatalError("no memory for an event") }
    }
    advance(target)
  }

  func sourceEnded(_ target: CellPublisher) {
    target.locked { _ in hasSourceEnded = true }
    advance(target)
  }

  /// Starts the inner streams whose turn it is; ends the target if there will be none.
  private func advance(_ target: CellPublisher) {
    while true {
      let next = target.locked { _ -> StreamEvent? in
        guard !isStarting, strategy != .concat || inner.isEmpty, let entry = waiting.pop() else { return nil }
        isStarting = true
        return entry.takeEvent()
      }
      guard let next else { break }
      let node = Delivery.callOut { transform(next.value) }
      next.release()
      start(node, target)
      target.locked { _ in isStarting = false }
    }
    let isOver = target.locked { _ in hasSourceEnded && inner.isEmpty && waiting.isEmpty && !isStarting }
    if isOver { _ = target.end(.cancelled) }
  }

  private func start(_ node: StreamNode, _ target: CellPublisher) {
    let (number, left) = target.locked { _ -> (Int, [Inner]) in
      self.number += 1
      var left: [Inner] = []
      if strategy == .latest {
        left = Array(inner.values)
        inner = [:]
      }
      inner[self.number] = Inner(node: node, subscriber: nil)
      return (self.number, left)
    }
    for inner in left { inner.subscriber?.releaseHandle() }
    let subscriber = node.cell.consume(for: target) { [weak self] input, target in
      switch input {
      case .event(let event): self?.publish(event, of: number, target) ?? event.release()
      case .end: self?.innerEnded(number, target)
      }
    }
    guard let subscriber else { fatalError("no memory for a subscriber") }
    let isOver = target.locked { _ in
      inner[number]?.subscriber = subscriber
      return inner[number] == nil
    }
    if isOver { subscriber.releaseHandle() }
  }

  /// Publishes an event of an inner stream, unless the inner stream was replaced meanwhile.
  private func publish(_ event: StreamEvent, of number: Int, _ target: CellPublisher) {
    var isLeft = false
    let result = target.publishing { _ in
      isLeft = inner[number] == nil
      return isLeft ? nil : event
    }
    if isLeft || result == .ended { event.release() }
  }

  private func innerEnded(_ number: Int, _ target: CellPublisher) {
    let ended = target.locked { _ in inner.removeValue(forKey: number) }
    ended?.subscriber?.releaseHandle()
    advance(target)
  }
}
