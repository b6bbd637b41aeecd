/// The write side of a stream: publishes data and errors to its subscribers, until it is cancelled.
///
///     let publisher = Publisher<Int, Never>()
///     let subscriber = publisher.subscriber().onNewData { print($0) }
///     publisher.publish(1)    // prints 1 before it returns
///     publisher.cancelAll()   // or release the publisher
///
/// **Order.** All subscribers get the states in one order, also if several threads publish. A subscriber gets the
/// states that are published after `subscriber()` was called, and no others: the call is atomic with respect to
/// publishing.
///
/// **Delivery.** Immediate callbacks have run when the publishing call returns, with two exceptions: the callback that
/// publishes, and a callback that another thread is running. They get the state afterwards, in order. A publishing
/// thread may thus deliver states of other threads too. Callbacks with a context run there, one state at a time.
///
/// **Lifetime.** Neither side keeps the other alive. Releasing the publisher cancels the stream. Releasing a subscriber
/// unsubscribes it.
///
/// **Threads.** Everything may be called from any thread, and from callbacks. No callback runs with a lock held.
///
/// **Memory.** Running out of memory traps, as it does in Swift's own allocations.
public class Publisher<Value, Failure> {
  /// A state of the stream.
  public typealias State = StreamState<Value, Failure>

  let cell: CellPublisher
  let log = StreamLog()

  /// Creates a publisher without subscribers.
  public convenience init() { self.init(CellPublisher.make(isStateful: false)) }

  init(_ cell: CellPublisher?) {
    guard let cell else { fatalError("no memory for a stream") }
    self.cell = cell
  }

  deinit {
    log.note(.lifecycle, "\(Self.self) released")
    cell.releaseHandle()
  }

  /// Publishes a value. No-op if the stream was cancelled.
  ///
  /// - Returns: whether the producer should wait for `ready()` before it publishes more.
  /// - Thread: any. Immediate callbacks run before this returns.
  @discardableResult
  public final func publish(_ value: Value) -> Publishing {
    log.note(.publishing, "publish \(State.data(value))")
    guard pass(value) else { return publish(event: StreamEvent(.encoding(value), .fulfilled)) }
    return cell.hasRoom ? .published : .full
  }

  /// Publishes an error, which does not end the stream. No-op if the stream was cancelled.
  ///
  /// - Returns: as ``publish(_:)``.
  @discardableResult
  public final func publish(error: Failure) -> Publishing { publish(.error(error)) }

  /// Cancels the stream: subscribers get the states published before, then `.cancelled`. Later calls are no-ops.
  public final func cancelAll() {
    log.note(.publishing, "cancelAll()")
    _ = cell.end(.cancelled)
  }

  /// Whether the stream was cancelled.
  public final var isCancelled: Bool { cell.hasFinished != nil }

  /// Returns a new subscriber to the states from now on. If the stream was cancelled, it gets `.cancelled`.
  public final func subscriber() -> Subscriber<Value, Failure> {
    log.note(.publishing, "new subscriber")
    return cell.isStateful ? Subscriber(node: StreamNode(cell.derived(by: .pass))) : Subscriber(beginningAt: cell)
  }

  /// Returns a future for back-pressure: fulfilled once every subscriber is below the limit of its buffer, at once if
  /// all are; cancelled if the stream ends first. See ``StreamBuffer/bounded(_:)`` for asynchronous sequences: the task
  /// that iterates one must not wait for this future.
  public final func ready() -> Future<Void, Never> {
    guard let ready = cell.ready() else { fatalError("no memory for a future") }
    return Future(cell: ready)
  }

  private func publish(_ state: State) -> Publishing {
    log.note(.publishing, "publish \(state)")
    guard let event = state.stored else { return .cancelled }
    return publish(event: event)
  }

  private func publish(event: StreamEvent) -> Publishing {
    switch cell.publish(event) {
    case .published: return .published
    case .full: return .full
    case .ended: return .cancelled
    }
  }
}

/// The result of publishing a state.
public enum Publishing: Sendable {
  /// Published; every subscriber has capacity left.
  case published
  /// Published; but the buffer of a subscriber is full. The next state may be dropped, or use more memory.
  case full
  /// The event was dropped: the stream was cancelled.
  case cancelled
}

// Sound: the engine's publisher is thread-safe, and so is the log.
extension Publisher: @unchecked Sendable where Value: Sendable, Failure: Sendable {}
extension StatefulPublisher: @unchecked Sendable where Value: Sendable, Failure: Sendable {}

extension Publisher where Failure: Error {
  /// Publishes the value or the error of a result.
  ///
  /// - Returns: as ``publish(_:)``.
  @discardableResult
  public final func publish(result: Result<Value, Failure>) -> Publishing { publish(State(result)) }
}

extension Publisher where Value == Void {
  /// Publishes an update without a value.
  ///
  /// - Returns: as ``publish(_:)``.
  @discardableResult
  public final func kick() -> Publishing { publish(()) }
}

extension Publisher: CustomStringConvertible {
  /// The type and the identity: `Publisher<Int, Never>(0x00007f...)`.
  public var description: String { describe(self) }
}

/// A publisher that first calls each new callback with the latest state.
///
/// A callback gets each state exactly once: the latest state at the moment of subscribing, then all later ones. After
/// the end it gets the latest state, then `.cancelled`. This holds for everything derived from the publisher's
/// subscribers too.
public final class StatefulPublisher<Value, Failure>: Publisher<Value, Failure> {
  /// Creates a publisher without a state.
  public convenience init() { self.init(CellPublisher.make(isStateful: true, keepsValue: true)) }

  /// The latest value or error; `nil` before the first. It does not change with the end of the stream.
  public var lastState: State? {
    guard case .event(let event) = cell.latest else { return nil }
    defer { event.release() }
    return event.outcome.isRejected ? StoredState.error(event.value).state() : StoredState.value(event.value).state()
  }

  /// The latest value, also if an error came after it.
  public var lastValue: Value? {
    guard let value = cell.latestValue else { return nil }
    defer { StreamEvent(value, .fulfilled).release() }
    return value.streamed(as: Value.self)
  }
}
