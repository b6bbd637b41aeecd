// Streams of futures.
extension Subscriber {
  /// Returns a stream of the outcome of `future`: its value or its error, then the end. For a cancelled future only the
  /// end is published. The stream is stateful, so late callbacks get the outcome too.
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
}

private final class CancelOnRelease<Value, Failure> {
  private let future: Future<Value, Failure>

  init(_ future: Future<Value, Failure>) { self.future = future }

  deinit { future.requestCancel() }
}
