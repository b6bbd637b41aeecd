/// The end of a source with which a combination of streams ends.
public enum CombineEnd: Sendable {
  /// The first end, as in Propagate.
  case first
  /// The last end: the latest value of a source that has ended is combined with later values of the others. A source
  /// that ends without a value ends the combination, because no tuple can follow. As in Combine.
  case all
}

// Operators on several streams. A source that remembers states publishes them inside the call that makes the operator:
// a callback that is added later gets one of them at most.
extension Subscriber {
  /// Publishes the values and errors of all sources, in the order of their publication. Ends when all sources have
  /// ended; without sources, at once. Stateful if all sources are: then it remembers the latest state of all, not one
  /// of each.
  public static func merge(_ sources: [Subscriber]) -> Subscriber {
    Subscriber(node: .joining(sources.map(\.node), .merge))
  }

  /// Publishes the values and errors of all sources. See the form that takes an array.
  public static func merge(_ sources: Subscriber...) -> Subscriber { merge(sources) }

  /// Publishes the values and errors of this stream and the others.
  public func mergeWith(_ others: [Subscriber]) -> Subscriber { .merge([self] + others) }

  /// Publishes the values and errors of this stream and the others.
  public func mergeWith(_ others: Subscriber...) -> Subscriber { .merge([self] + others) }

  /// Publishes the latest values of all sources as a tuple, with every value of a source, once each source has
  /// published one. Errors pass. Stateful if all sources are.
  ///
  /// Ends with the first source that ends, unless `end` is `.all`. A stream of a future ends with the value of the
  /// future, so combine that one with `until: .all`.
  public static func combine<each Element>(
    _ sources: repeat Subscriber<each Element, Failure>, until end: CombineEnd = .first
  ) -> Subscriber where Value == (repeat each Element) {
    var nodes: [StreamNode] = []
    repeat nodes.append((each sources).node)
    return Subscriber(tuplesOf: .joining(nodes, end == .first ? .combineToFirstEnd : .combineToLastEnd))
  }

  /// Publishes the latest values of this stream and the others as a tuple. See ``combine(_:until:)``.
  public func combineWith<each Other>(
    _ others: repeat Subscriber<each Other, Failure>, until end: CombineEnd = .first
  ) -> Subscriber<(Value, repeat each Other), Failure> {
    Subscriber<(Value, repeat each Other), Failure>.combine(self, repeat each others, until: end)
  }

  /// Makes a stream of tuples from a stream of the engine's arrays.
  convenience init<each Element>(tuplesOf arrays: StreamNode) where Value == (repeat each Element) {
    self.init(
      node: arrays.derived { state, out in
        guard case .value(let array) = state else { return .pass }
        var index = 0
        func next<Next>(_ type: Next.Type) -> Next {
          defer { index += 1 }
          return unsafe Box(array.owner).elements[index].streamed(as: Next.self)
        }
        let tuple = (repeat next((each Element).self))
        return State.data(tuple).leave(in: &out)
      })
  }
}

extension StreamNode {
  /// Returns a node for the merged events of several, or for arrays of their latest values.
  static func joining(_ nodes: [StreamNode], _ kind: JoinKind) -> StreamNode {
    let cell = CellPublisher.joined({ nodes[$0].cell }, count: nodes.count, kind)
    return StreamNode(cell, upstream: nodes)
  }
}
