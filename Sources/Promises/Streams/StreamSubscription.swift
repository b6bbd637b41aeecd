/// A callback with demand: it gets no more states than were asked for. The others wait in its buffer.
///
/// Keep it for as long as states are wanted: when it is released, the callback is called no more. It keeps the
/// subscriber that it was made from.
public final class StreamSubscription: Sendable {
  private let node: StreamNode
  private let cell: CellSubscriber

  fileprivate init(_ node: StreamNode, _ cell: CellSubscriber) {
    self.node = node
    self.cell = cell
  }

  deinit { cell.releaseHandle() }

  /// Asks for `count` more states. The end takes no demand. No-op for a count below 1.
  ///
  /// - Thread: any, and in the callback. Waiting states of an immediate callback are delivered before this returns,
  ///   unless the callback is running.
  public func request(_ count: Int) {
    if count > 0 { cell.request(UInt64(count)) }
  }

  /// Asks for all further states.
  public func requestAll() { cell.request(.max) }

  /// Drops the waiting states. The callback gets nothing more, not even `.cancelled`. Later calls are no-ops.
  public func cancel() { _ = cell.cancel() }

  /// The number of states that the buffer has dropped.
  public var dropped: Int { Int(clamping: cell.dropped) }
}

extension Subscriber {
  /// Calls `callback` with states from now on, as they are asked for.
  ///
  ///     let subscription = subscriber.subscribe(demand: 0, buffer: .newest(1)) { show($0) }
  ///     subscription.request(1)    // shows the newest state, or the next one
  ///
  /// - Parameters:
  ///   - demand: the number of states to deliver before `request(_:)` asks for more.
  ///   - buffer: the policy for states that wait.
  ///   - callback: gets the states; it is immediate.
  /// - Returns: the subscription, which must be kept.
  public func subscribe(
    demand: Int, buffer: StreamBuffer = .unbounded, _ callback: @escaping Callback
  ) -> StreamSubscription {
    demanding(demand, on: .immediate, buffer, callback)
  }

  /// Calls `callback` in `context` with states from now on, as they are asked for. See the form without a context.
  @_disfavoredOverload
  public func subscribe(
    on context: PromiseContext, demand: Int, buffer: StreamBuffer = .unbounded,
    _ callback: sending @escaping (State) -> Void
  ) -> StreamSubscription {
    demanding(demand, on: context, buffer, callback)
  }

  /// Calls `callback` on the main actor with states from now on, as they are asked for. See the form without a context.
  public func subscribe(
    on main: MainContext, demand: Int, buffer: StreamBuffer = .unbounded,
    _ callback: @escaping @MainActor (State) -> Void
  ) -> StreamSubscription {
    demanding(demand, on: main.place, buffer, main.calling(callback))
  }

  private func demanding(
    _ demand: Int, on context: PromiseContext, _ buffer: StreamBuffer, _ callback: @escaping Callback
  ) -> StreamSubscription {
    log.note(.publishing, "new callback")
    let cell = node.subscribe(on: context, buffer, demand: UInt64(max(0, demand))) { callback($0.state()) }
    return StreamSubscription(node, cell)
  }
}
