// Operators that remember states.
extension Subscriber {
  /// Makes the stream stateful: a new callback gets the latest state since this call first.
  public func stateful() -> Subscriber { replaying(nil) }

  /// Makes the stream stateful, with a first value: a new callback gets the latest state, at first `value`.
  public func startWith(_ value: Value) -> Subscriber { replaying(.data(value)) }

  private func replaying(_ first: State?) -> Subscriber {
    log.note(.operators, first.map { "startWith \($0)" } ?? "stateful")
    let cell = node.cell.derived(by: .pass, isStateful: true, first: first?.stored)
    return Subscriber(node: StreamNode(cell, upstream: [node]))
  }

  /// Returns a stream of one value, which every callback gets. It does not end by itself: it ends when it is cancelled.
  /// ``just(_:)`` ends after its value.
  public static func of(_ value: Value) -> Subscriber { making(.data(value)) }

  /// Returns a stream of one error, which every callback gets. It does not end by itself: see ``of(_:)``.
  public static func of(error: Failure) -> Subscriber { making(.error(error)) }

  /// Returns a stream of one value and the end, which every callback gets, as Combine's `Just`.
  public static func just(_ value: Value) -> Subscriber { making(.data(value), ends: true) }

  /// Returns a stream of one error and the end, which every callback gets, as Combine's `Fail`.
  public static func just(error: Failure) -> Subscriber { making(.error(error), ends: true) }

  /// Returns a stream that has ended without a state, as Combine's `Empty`.
  public static func empty() -> Subscriber { making(nil, ends: true) }

  private static func making(_ state: State?, ends: Bool = false) -> Subscriber {
    let node = StreamNode(CellPublisher.make(isStateful: true))
    if let event = state?.stored { _ = node.cell.publish(event) }
    if ends { _ = node.cell.end(.cancelled) }
    return Subscriber(node: node)
  }

  /// Publishes the latest `count` values as an array with every value, from the `count`th on. Errors pass, and do not
  /// empty the window. With a count of less than 1, no value is published.
  public func scanValues(_ count: Int) -> Subscriber<[Value], Failure> {
    var window: [Value] = []
    return compactMapValues { value in
      guard count > 0 else { return nil }
      if window.count == count { window.removeFirst() }
      window.append(value)
      return window.count == count ? window : nil
    }
  }

  /// Publishes every state to `publisher` too, which this subscriber keeps. The end is passed to the current
  /// subscribers of `publisher`: `publisher` itself is not cancelled, and later subscribers are not affected.
  ///
  /// A publisher must not be among its own sources, also through others: the first state would be published again and
  /// again, in a call that does not return.
  ///
  /// - Returns: this subscriber, which must be kept.
  @discardableResult
  public func bindTo(_ publisher: Publisher<Value, Failure>) -> Subscriber {
    log.note(.operators, "bindTo \(publisher)")
    node.forward(to: publisher.cell)
    return self
  }
}
