extension Subscriber {
  /// Publishes the first values of all sources as a tuple, then the second ones, and so on. Errors pass at once. Ends
  /// when a source has ended and all its values are in tuples.
  public static func zip<each Element>(
    _ sources: repeat Subscriber<each Element, Failure>
  ) -> Subscriber where Value == (repeat each Element) {
    var nodes: [StreamNode] = []
    repeat nodes.append((each sources).node)
    return Subscriber(tuplesOf: .zipping(nodes))
  }

  /// Publishes the first values of this stream and the others as a tuple, and so on. See ``zip(_:)``.
  public func zipWith<each Other>(
    _ others: repeat Subscriber<each Other, Failure>
  ) -> Subscriber<(Value, repeat each Other), Failure> {
    Subscriber<(Value, repeat each Other), Failure>.zip(self, repeat each others)
  }
}

/// The values of the sources that wait for those of the others. Guarded by the lock of the target.
private final class Zip {
  struct Source {
    var values = EventQueue()
    var hasEnded = false
  }

  var sources: [Source]
  init(count: Int) { sources = Array(repeating: Source(), count: count) }

  deinit {
    for source in sources { source.values.release() }
  }

  /// Takes ownership of a value, and publishes a tuple if it was the last that was missing.
  func add(_ event: StreamEvent, at index: Int, _ target: CellPublisher) {
    var used: [StreamEvent] = []
    let result = target.publishing { _ in
      guard sources[index].values.push(event) else { fatalError("no memory for an event") }
      guard sources.allSatisfy({ !$0.values.isEmpty }) else { return nil }
      for index in sources.indices {
        if let entry = sources[index].values.pop() { used.append(entry.takeEvent()) }
      }
      guard let array = Box.array(count: used.count, { used[$0].value }) else { fatalError("no memory for an event") }
      return StreamEvent(array, .fulfilled)
    }
    if result == .ended { event.release() }
    for event in used { event.release() }
    endIfOver(target)
  }

  func end(at index: Int, _ target: CellPublisher) {
    target.locked { _ in sources[index].hasEnded = true }
    endIfOver(target)
  }

  private func endIfOver(_ target: CellPublisher) {
    let isOver = target.locked { _ in sources.contains { $0.hasEnded && $0.values.isEmpty } }
    if isOver { _ = target.end(.cancelled) }
  }
}

extension StreamNode {
  /// Returns a node for arrays of the values of several.
  fileprivate static func zipping(_ nodes: [StreamNode]) -> StreamNode {
    let zip = Zip(count: nodes.count)
    let cell = CellPublisher.gathering({ nodes[$0].cell }, count: nodes.count) { index in
      { input, target in
        switch input {
        case .event(let event) where event.outcome.isRejected: _ = target.publish(event)
        case .event(let event): zip.add(event, at: index, target)
        case .end: zip.end(at: index, target)
        }
      }
    }
    return StreamNode(cell, upstream: nodes)
  }
}
