/// The read side of a stream: calls back for the states of a publisher, and derives other streams from them.
///
///     let names = users.subscriber()
///       .filterValues { $0.isActive }
///       .mapValues { $0.name }
///       .onNewData { show($0) }
///
/// **Callbacks.** Each gets the states from the moment when it is added, in the order of publication, one at a time. It
/// is never entered twice at once, and gets `.cancelled` at most once, last. Callbacks of one subscriber run in the
/// order in which they were added: all get one state before any gets the next. This holds for immediate callbacks, and
/// for callbacks on one serial queue. After `.cancelled` a callback is released.
///
/// **Lifetime.** Keep the subscriber for as long as callbacks are wanted: when it is released, they are called no more,
/// not even with `.cancelled`. A derived subscriber keeps the one that it was made from, with all callbacks. So of a
/// chain only the last element must be kept. No subscriber keeps the publisher.
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

  init(node: StreamNode) { self.node = node }

  deinit { log.note(.lifecycle, "\(Self.self) released") }

  /// Whether the stream has ended, for this subscriber and for those derived from it.
  public var isCancelled: Bool { node.cell.hasFinished != nil }

  /// Unsubscribes: each callback, and each stream derived from this one, gets the states published before, then
  /// `.cancelled`. The publisher and its other subscribers continue. Later calls are no-ops.
  public func cancel() {
    log.note(.publishing, "cancel()")
    _ = node.cell.end(.cancelled)
  }
}

// Sound: the engine's publisher is thread-safe, and so are the log and the node.
extension Subscriber: @unchecked Sendable where Value: Sendable, Failure: Sendable {}

extension Subscriber: CustomStringConvertible {
  /// The type and the identity: `Subscriber<Int, Never>(0x00007f...)`.
  public var description: String { describe(self) }
}

/// The type and the address of an object.
func describe(_ object: AnyObject) -> String {
  let address = String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  return "\(type(of: object))(0x" + String(repeating: "0", count: max(0, 16 - address.count)) + "\(address))"
}
