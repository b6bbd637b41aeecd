// Operators that drop states and change none.
extension Subscriber {
  /// Keeps the states for which `isIncluded` is true. If it drops the end, the derived stream does not end.
  public func filterStates(_ isIncluded: @escaping (State) -> Bool) -> Subscriber {
    compactMapStates { isIncluded($0) ? $0 : nil }
  }

  /// Keeps the values for which `isIncluded` is true, all errors, and the end.
  @inlinable
  public func filterValues(_ isIncluded: @escaping (Value) -> Bool) -> Subscriber {
    derive { next in StreamSink(value: { if isIncluded($0) { next.value($0) } }, other: next.other) }
  }

  /// Keeps the errors for which `isIncluded` is true, all values, and the end.
  public func filterErrors(_ isIncluded: @escaping (Failure) -> Bool) -> Subscriber {
    compactMapErrors { isIncluded($0) ? $0 : nil }
  }

  /// Keeps the values that are not `nil`, unwrapped.
  public func filterNil<Wrapped>() -> Subscriber<Wrapped, Failure> where Value == Wrapped? {
    compactMapValues { $0 }
  }

  /// Publishes the first `count` values, and the errors before the last of them, then ends. With a count below 1 it has
  /// ended at once.
  public func prefix(_ count: Int) -> Subscriber {
    log.note(.operators, "prefix \(count)")
    let derived = StreamNode(node.cell.derived(by: .take(UInt64(max(1, count)))), upstream: [node])
    if count < 1 { _ = derived.cell.end(.cancelled) }
    return Subscriber(node: derived)
  }

  /// Drops a value that equals the state before it. An error in between makes the value count as new. Errors are never
  /// dropped. The derived stream is stateful.
  public func distinctValues() -> Subscriber where Value: Equatable {
    distinct { last, state in
      guard case .data(let value) = state, case .data(value)? = last else { return false }
      return true
    }
  }

  /// Drops a state that equals the state before it: values and errors. The derived stream is stateful.
  public func distinctStates() -> Subscriber where Value: Equatable, Failure: Equatable {
    distinct { last, state in state == last }
  }

  private func distinct(_ isDuplicate: @escaping (_ last: State?, State) -> Bool) -> Subscriber {
    log.note(.operators, "-> \(Subscriber.self)")
    var last: State?
    return Subscriber(
      node: node.derived(isStateful: true) { stored, _ in
        let state: State = stored.state()
        guard !isDuplicate(last, state) else { return .skip }
        last = state
        return .pass
      })
  }
}
