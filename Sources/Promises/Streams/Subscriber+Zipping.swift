extension Subscriber {
  /// Publishes the first values of all sources as a tuple, then the second ones, and so on. Errors pass at once. Ends
  /// when a source has ended and all its values are in tuples.
  ///
  /// Values that wait for those of another source exert no back-pressure: the source that is ahead fills memory.
  public static func zip<each Element>(
    _ sources: repeat Subscriber<each Element, Failure>
  ) -> Subscriber where Value == (repeat each Element) {
    var nodes: [StreamNode] = []
    repeat nodes.append((each sources).node)
    return Subscriber(tuplesOf: .joining(nodes, .zip))
  }

  /// Publishes the first values of this stream and the others as a tuple, and so on. See ``zip(_:)``.
  public func zipWith<each Other>(
    _ others: repeat Subscriber<each Other, Failure>
  ) -> Subscriber<(Value, repeat each Other), Failure> {
    Subscriber<(Value, repeat each Other), Failure>.zip(self, repeat each others)
  }
}
