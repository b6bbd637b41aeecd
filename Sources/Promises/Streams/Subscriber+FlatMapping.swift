/// The inner streams of `flatMapValues` that are published.
public enum FlatMapStrategy: Sendable {
  /// All at once.
  case merge
  /// One after the other: the transformation of a value waits for the end of the stream before. The values that wait
  /// exert no back-pressure, and fill memory. An inner stream that does not end holds back all that follow.
  case concat
  /// The latest one: a new value unsubscribes from the stream before.
  case latest
}

extension Subscriber {
  /// Transforms every value to a stream, and publishes the values and errors of these streams. Errors of this stream
  /// pass at once. Ends when this stream and the inner streams have ended.
  ///
  /// An inner stream is kept until it ends. For a single value return ``just(_:)``, which ends, not ``of(_:)``, which
  /// does not.
  public func flatMapValues<NewValue>(
    _ strategy: FlatMapStrategy = .merge, _ transform: @escaping (Value) -> Subscriber<NewValue, Failure>
  ) -> Subscriber<NewValue, Failure> {
    log.note(.operators, "flatMapValues \(strategy)")
    let kind: FlatteningKind =
      switch strategy {
      case .merge: .merge
      case .concat: .concat
      case .latest: .latest
      }
    let flat = node.cell.flattened(kind, .closure { transform($0.streamed(as: Value.self)).node.inner })
    return Subscriber<NewValue, Failure>(node: StreamNode(flat, upstream: [node]))
  }
}

extension StreamNode {
  /// The node as an inner stream: its publisher, with another handle, and a reference to the node.
  var inner: (publisher: CellPublisher, owner: Context) {
    let cell = self.cell
    guard cell.retainHandle() == .retained else { fatalError("too many subscribers to a stream") }
    return (cell, Context(owning: self))
  }
}
