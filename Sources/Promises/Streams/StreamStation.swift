import Synchronization

/// A flag that is set once, by any thread.
final class StreamFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}

/// The place of a subscriber in a line, without its types. Everything except the flags is accessed only in turns of the
/// line.
class StreamPlace {
  /// The number of operators before it in its line.
  let ordinal: Int
  /// Set once the end has passed. Nothing passes after it.
  let ended = StreamFlag()
  /// Set once the subscriber was released: its callback is not called any more.
  let released = StreamFlag()

  init(ordinal: Int) { self.ordinal = ordinal }

  /// Ends the stream here and downstream.
  func cancel(in line: StreamLine) {}
  /// Releases the consumer.
  func dropConsumer(in line: StreamLine) {}
  /// Redirects later states to `cell`, which may be destroyed meanwhile. The current consumer is moved to a line of its
  /// own, as a subscriber of `cell`; returns that line's target, with a handle for the caller.
  func connect(to cell: CellPublisher, in line: StreamLine) -> CellPublisher? { nil }
}

/// The place of a subscriber in a line, and the outlet for its states.
final class StreamStation<Value, Failure>: StreamPlace {
  /// Makes the sink of the one consumer; nil if the consumer has ended.
  typealias Consumer = (StreamLine) -> StreamSink<Value, Failure>?

  private enum Outlet {
    case none
    /// A callback, or the next operator of the line.
    case consumer(Consumer)
    /// A publisher of the engine.
    case publisher(WeakCell)
    /// The line's target.
    case target
  }

  private var outlet: Outlet

  init(ordinal: Int, _ consumer: Consumer? = nil) {
    outlet = consumer.map { .consumer($0) } ?? .none
    super.init(ordinal: ordinal)
  }

  /// Makes the last station of a line that publishes to its target.
  init(publishingToTargetAt ordinal: Int) {
    outlet = .target
    super.init(ordinal: ordinal)
  }

  /// Whether the station has no outlet for the states.
  var isUnused: Bool {
    if case .none = outlet { return true }
    return false
  }

  /// The sink for the states that arrive here; nil after the end.
  func sink(in line: StreamLine) -> StreamSink<Value, Failure>? {
    guard !ended.isSet else { return nil }
    let rest = outletSink(in: line)
    return StreamSink(
      value: rest?.value ?? { _ in },
      other: { [unowned line] state in
        if case .cancelled = state { self.end(in: line) }
        rest?.other(state)
      })
  }

  private func outletSink(in line: StreamLine) -> StreamSink<Value, Failure>? {
    switch outlet {
    case .none: return nil
    case .consumer(let consumer):
      if let sink = consumer(line) { return sink }
      outlet = .none
      return nil
    case .publisher(let cell): return StreamSink { [unowned line] in line.publish($0, to: cell) }
    case .target: return StreamSink { [unowned line] in line.publishToTarget($0) }
    }
  }

  private func end(in line: StreamLine) {
    ended.set()
    outlet = .none
    line.hasEndedPlace = true
  }

  /// Sets the consumer. If another consumer was added first and needed a publisher of the engine, this one becomes a
  /// subscriber of that publisher: see `connect`.
  func consume(in line: StreamLine, _ consumer: @escaping Consumer) -> CellPublisher? {
    line.isStale = true
    if ended.isSet {
      consumer(line)?.other(.cancelled)
      return nil
    }
    guard case .publisher(let cell) = outlet else {
      outlet = .consumer(consumer)
      return nil
    }
    var target: CellPublisher?
    cell.with { target = move(consumer, in: line, to: CellPublisher($0)) }
    return target
  }

  override func cancel(in line: StreamLine) { sink(in: line)?.other(.cancelled) }

  override func dropConsumer(in line: StreamLine) {
    if case .consumer = outlet { outlet = .none }
    line.forget(from: ordinal + 1)
    line.isStale = true
  }

  override func connect(to cell: CellPublisher, in line: StreamLine) -> CellPublisher? {
    if ended.isSet {
      line.publish(State.cancelled, to: WeakCell(cell.ref))
      return nil
    }
    defer {
      outlet = .publisher(WeakCell(cell.ref))
      line.isStale = true
    }
    guard case .consumer(let consumer) = outlet else { return nil }
    return move(consumer, in: line, to: cell)
  }

  private func move(_ consumer: @escaping Consumer, in line: StreamLine, to cell: CellPublisher) -> CellPublisher {
    let moved = StreamHead(StreamStation(ordinal: ordinal, consumer), isNamed: false)
    return line.move(from: ordinal + 1, to: moved, of: cell)
  }

  private typealias State = StreamState<Value, Failure>
}
