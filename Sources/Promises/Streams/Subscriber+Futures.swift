// Streams of futures, and futures of streams.
extension Subscriber {
  /// Returns a stream of the outcome of `future`: its value or its error, then the end. For a cancelled future only the
  /// end is published. The stream is stateful, so late callbacks get the outcome too. Because it ends, combine it with
  /// other streams by ``combine(_:until:)`` with `.all`.
  ///
  ///     let hits = texts.debounce(for: .milliseconds(300)).flatMapValues(.latest) { .of(future: search($0)) }
  ///
  /// The stream counts as interest in the future, as a derived future does. When the subscriber is released, the future
  /// is asked to cancel, unless it has another consumer or reference. Inline callbacks run where the future is settled.
  public static func of(future: Future<Value, Failure>) -> Subscriber {
    let outcome: Future<FutureResult<Value, Failure>, Never> = future.mapResult { .fulfilled($0) }
    let node = StreamNode(CellPublisher.of(outcome.cell), keeping: CancelOnRelease(outcome))
    return Subscriber<FutureResult<Value, Failure>, Never>(node: node).compactMapStates { state in
      switch state {
      case .data(.fulfilled(let value)): .data(value)
      case .data(.rejected(let error)): .error(error)
      // The end follows.
      case .data(.cancelled): nil
      case .cancelled: .cancelled
      }
    }
  }

  /// Returns a future of the first state from now on, of a stateful stream the latest one: fulfilled with a value,
  /// rejected with an error, cancelled with the end.
  ///
  ///     let title = try await titles.filterValues { !$0.isEmpty }.first().get()
  ///
  /// Until the future is settled, it keeps this subscriber, and the stream keeps the future. A request to cancel the
  /// future cancels it, and unsubscribes; its release does not. Inline callbacks run on the publishing thread.
  public func first() -> Future<Value, Failure> {
    let (future, resolver) = Future<Value, Failure>.makeWithResolver()
    // The end follows the state without demand, and is not a second settlement.
    let subscription = subscribe(demand: 1) { state in
      switch state {
      case .data(let value): resolver.settle(.fulfilled(value))
      case .error(let error): resolver.settle(.rejected(error))
      case .cancelled: resolver.settle(.cancelled(nil))
      }
    }
    resolver.onCancelRequest { $0.settle(.cancelled(nil)) }
    if !future.cell.keep(Context(owning: subscription)) { fatalError("no memory for a future") }
    return future
  }
}

private final class CancelOnRelease<Value, Failure> {
  private let future: Future<Value, Failure>

  init(_ future: Future<Value, Failure>) { self.future = future }

  deinit { future.requestCancel() }
}
