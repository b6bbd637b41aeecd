/// The read side of a stream: calls back for the states of a publisher, and derives other streams from them.
///
///     let names = users.subscriber()
///       .filterValues { $0.isActive }
///       .mapValues { $0.name }
///       .onNewData { show($0) }
///
/// **Callbacks.** Each gets the states from the moment when it is added, in the order of publication, one at a time. It
/// is never entered twice at once, and gets `.cancelled` at most once, last. After `.cancelled` a callback is released.
///
/// **Order.** Callbacks of one subscriber run in the order in which they were added: all get one state before any gets
/// the next. This holds for callbacks with one context, which is `.main`, a queue or an executor. It also holds for
/// immediate callbacks, unless one of them is running when the next state is published: that one gets the state
/// afterwards, the others at once. A callback with a demand, or on the pool, has only its own order.
///
/// **Lifetime.** Keep the subscriber for as long as callbacks are wanted: when it is released, they are called no more,
/// not even with `.cancelled`. Only a call that another thread has begun, or is about to begin, may still run. A
/// derived subscriber keeps the one that it was made from, with all callbacks. So of a chain only the last element must
/// be kept. No subscriber keeps the publisher.
///
/// **Executors.** If an executor drops the job for a state, such as a cancelled operation, the state waits for the job
/// of the next one. If it drops that too, or the job for the end, or if the buffer is limited, the callbacks are
/// released without a call.
///
/// **Operators.** Each makes a new subscriber. Its function is called once for each state, however many callbacks
/// there are downstream, on the thread that delivers. Functions that keep state need no lock: the calls come one at a
/// time. An operator on a stateful stream is stateful: see ``StatefulPublisher``.
///
/// **Threads.** Everything may be called from any thread, and from callbacks.
public final class Subscriber<Value, Failure> {
  /// A state of the stream.
  public typealias State = StreamState<Value, Failure>
  /// A callback for states.
  public typealias Callback = (State) -> Void

  let node: StreamNode
  let log = StreamLog()
  /// The place in a line.
  private let station: StreamStation<Value, Failure>?

  init(node: StreamNode) {
    self.node = node
    station = nil
  }

  private init(node: StreamNode, _ station: StreamStation<Value, Failure>) {
    self.node = node
    self.station = station
  }

  deinit { log.note(.lifecycle, "\(Self.self) released") }

  /// Whether the stream has ended, for this subscriber and for those derived from it.
  public var isCancelled: Bool { node.hasEnded }

  /// Unsubscribes: each callback, and each stream derived from this one, gets the states published before, then
  /// `.cancelled`. The publisher and its other subscribers continue. Later calls are no-ops.
  ///
  /// If another thread, or a caller of this one, is delivering earlier states, the end follows them. States that an
  /// operator holds back, for a time or for a group, are dropped, and so are those that wait in an inner stream of
  /// `flatMapValues`.
  public func cancel() {
    log.note(.publishing, "cancel()")
    node.cancel()
  }
}

// Lines.
extension Subscriber {
  /// Makes the first subscriber of a line.
  convenience init(beginningAt cell: CellPublisher) {
    let station = StreamStation<Value, Failure>(ordinal: 0)
    let line = StreamHead(station, isNamed: true)
    let target = line.begin(at: cell)
    self.init(node: StreamNode(target, at: .init(line: line, place: station), upstream: nil), station)
  }

  /// Returns a subscriber to the results of an operator. `compose` returns the operator's sink, for events of this
  /// subscriber, and is passed the sink for the results. `compose` is called whenever the line's functions are
  /// composed, so the operator keeps its state outside of the closure.
  ///
  /// The operator joins this subscriber's line if it is the only consumer. Otherwise it begins a line. An operator on a
  /// stateful stream is a line of its own, whose target stores the latest state.
  @usableFromInline
  func derive<NewValue, NewFailure>(
    _ compose: @escaping (StreamSink<NewValue, NewFailure>) -> StreamSink<Value, Failure>
  ) -> Subscriber<NewValue, NewFailure> {
    log.note(.operators, "-> \(Subscriber<NewValue, NewFailure>.self)")
    typealias Station = StreamStation<NewValue, NewFailure>
    func consume(for station: Station) -> StreamStation<Value, Failure>.Consumer {
      { line in station.sink(in: line).map(compose) }
    }
    if let station, let site = node.reserveNext() {
      let next = Station(ordinal: site.place.ordinal + 1)
      let derived = StreamNode(
        node.retainTarget(), at: .init(line: site.line, place: next), upstream: node, isConsumer: true)
      node.consume { station.consume(in: $0, consume(for: next)) }
      return Subscriber<NewValue, NewFailure>(node: derived, next)
    }
    let cell = node.cell
    let isStateful = cell.isStateful
    let next = isStateful ? Station(publishingToTargetAt: 1) : Station(ordinal: 1)
    let line = StreamHead(StreamStation(ordinal: 0, consume(for: next)), isNamed: false)
    line.feedsTarget = isStateful
    let target = line.begin(at: cell)
    if isStateful { return Subscriber<NewValue, NewFailure>(node: StreamNode(target, upstream: [node])) }
    let derived = StreamNode(target, at: .init(line: line, place: next), upstream: node)
    return Subscriber<NewValue, NewFailure>(node: derived, next)
  }

  /// Calls back in the turns of the line, if this is the only consumer. Otherwise returns false.
  func join(_ sink: StreamSink<Value, Failure>) -> Bool {
    guard let station, node.reserve() != nil else { return false }
    let released = station.released
    let silenced = StreamSink<Value, Failure>(
      value: { if !released.isSet { sink.value($0) } }, other: { if !released.isSet { sink.other($0) } })
    node.consume { station.consume(in: $0) { _ in silenced } }
    return true
  }
}

// Sound: the engine's publisher is thread-safe, and so are the log and the node.
extension Subscriber: @unchecked Sendable where Value: Sendable, Failure: Sendable {}

extension Subscriber: CustomStringConvertible {
  /// The type and the identity: `Subscriber<Int, Never>(0x00007f...)`.
  public var description: String { describe(self) }
}

/// Returns the type and the address of an object.
func describe(_ object: AnyObject) -> String {
  let address = String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  return "\(type(of: object))(0x" + String(repeating: "0", count: max(0, 16 - address.count)) + "\(address))"
}
