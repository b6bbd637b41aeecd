// Operators on groups of values. Errors pass at once.
extension Subscriber {
  /// Publishes arrays of `count` values, one after the other; the last, at the end, may have fewer. A count below 1
  /// counts as 1.
  public func buffer(_ count: Int) -> Subscriber<[Value], Failure> {
    log.note(.operators, "buffer \(count)")
    var values: [Value] = []
    return Subscriber<[Value], Failure>(
      node: node.derived(byFunction: { input, target in
        switch input {
        case .event(let event) where event.outcome.isRejected: _ = target.publish(event)
        case .event(let event):
          values.append(event.value.streamed(as: Value.self))
          event.release()
          if values.count >= count { Subscriber.publish(&values, to: target) }
        case .end(let ending):
          if !values.isEmpty { Subscriber.publish(&values, to: target) }
          _ = target.end(ending.copy())
        }
      }))
  }

  private static func publish(_ values: inout [Value], to target: CellPublisher) {
    let group = StreamEvent(.encoding(values), .fulfilled)
    values = []
    _ = target.publish(group)
  }

  /// Publishes streams of `count` values, one after the other. A stream is published with its first value, and ends
  /// with its last one; its callbacks get all its values, also those from before they were added. A count below 1
  /// counts as 1.
  public func window(_ count: Int) -> Subscriber<Subscriber<Value, Failure>, Failure> {
    log.note(.operators, "window \(count)")
    let open = OpenWindow()
    var left = 0
    return Subscriber<Subscriber<Value, Failure>, Failure>(
      node: node.derived(byFunction: { input, target in
        switch input {
        case .event(let event) where event.outcome.isRejected: _ = target.publish(event)
        case .event(let event):
          if open.node == nil {
            let made = StreamNode(CellPublisher.make(isStateful: true, historyLimit: max(1, count)))
            open.node = made
            left = max(1, count)
            _ = target.publish(StreamEvent(.encoding(Subscriber<Value, Failure>(node: made)), .fulfilled))
          }
          left -= 1
          guard let node = open.node else { return event.release() }
          _ = node.cell.publish(event)
          if left == 0 { open.end() }
        case .end(let ending):
          open.end()
          _ = target.end(ending.copy())
        }
      }))
  }

  /// Makes the stream remember `count` states: a new callback gets the latest ones, oldest first, then all later
  /// states. Streams derived from it remember one state. With a count below 1 this is ``stateful()``.
  ///
  /// Every stream is shared: its operators run once, however many callbacks there are. So this is all that sharing with
  /// replay needs.
  public func replay(_ count: Int) -> Subscriber {
    log.note(.operators, "replay \(count)")
    let cell = node.cell.derived(by: .pass, isStateful: true, historyLimit: max(0, count))
    return Subscriber(node: StreamNode(cell, upstream: [node]))
  }
}

/// The window that is being filled. The release of the operator ends it: a cancelled operator gets no end.
private final class OpenWindow {
  var node: StreamNode?

  func end() {
    guard let node else { return }
    self.node = nil
    _ = node.cell.end(.cancelled)
  }

  deinit { end() }
}
