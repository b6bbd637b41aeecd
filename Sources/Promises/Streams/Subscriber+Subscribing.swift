// Callbacks, in three forms each. Those without a context are immediate: they run on the thread that publishes. Those
// with a context run there, one state at a time; they may run on other threads, so they are `sending`. Those with
// `.main` are `@MainActor`. `.nowOr(context)` acts as `context`: it delivers nothing inside the attaching call.
extension Subscriber {
  /// Calls `callback` with every state from now on.
  ///
  /// - Returns: this subscriber, which must be kept.
  @discardableResult
  public func subscribe(_ callback: @escaping Callback) -> Subscriber { observe(.all, on: .immediate, callback) }

  /// Calls `callback` in `context` with every state from now on.
  @_disfavoredOverload
  @discardableResult
  public func subscribe(on context: PromiseContext, _ callback: sending @escaping (State) -> Void) -> Subscriber {
    observe(.all, on: context, callback)
  }

  /// Calls `callback` on the main actor with every state from now on.
  @discardableResult
  public func subscribe(on main: MainContext, _ callback: @escaping @MainActor (State) -> Void) -> Subscriber {
    observe(.all, on: main.place, main.calling(callback))
  }

  /// Calls `callback` with every value from now on.
  @discardableResult
  public func onNewData(_ callback: @escaping (Value) -> Void) -> Subscriber { onData(on: .immediate, callback) }

  /// Calls `callback` in `context` with every value from now on.
  @_disfavoredOverload
  @discardableResult
  public func onNewData(on context: PromiseContext, _ callback: sending @escaping (Value) -> Void) -> Subscriber {
    onData(on: context, callback)
  }

  /// Calls `callback` on the main actor with every value from now on.
  @discardableResult
  public func onNewData(on main: MainContext, _ callback: @escaping @MainActor (Value) -> Void) -> Subscriber {
    onData(on: main.place, main.calling(callback))
  }

  /// Calls `callback` with every error from now on.
  @discardableResult
  public func onError(_ callback: @escaping (Failure) -> Void) -> Subscriber { onError(in: .immediate, callback) }

  /// Calls `callback` in `context` with every error from now on.
  @_disfavoredOverload
  @discardableResult
  public func onError(on context: PromiseContext, _ callback: sending @escaping (Failure) -> Void) -> Subscriber {
    onError(in: context, callback)
  }

  /// Calls `callback` on the main actor with every error from now on.
  @discardableResult
  public func onError(on main: MainContext, _ callback: @escaping @MainActor (Failure) -> Void) -> Subscriber {
    onError(in: main.place, main.calling(callback))
  }

  /// Calls `callback` at the end of the stream; at once if it has ended.
  @discardableResult
  public func onCancelled(_ callback: @escaping () -> Void) -> Subscriber { onEnd(on: .immediate, callback) }

  /// Calls `callback` in `context` at the end of the stream.
  @_disfavoredOverload
  @discardableResult
  public func onCancelled(on context: PromiseContext, _ callback: sending @escaping () -> Void) -> Subscriber {
    onEnd(on: context, callback)
  }

  /// Calls `callback` on the main actor at the end of the stream.
  @discardableResult
  public func onCancelled(on main: MainContext, _ callback: @escaping @MainActor () -> Void) -> Subscriber {
    onEnd(on: main.place, main.calling(callback))
  }

  private func onData(on context: PromiseContext, _ callback: @escaping (Value) -> Void) -> Subscriber {
    log.note(.publishing, "new callback")
    if context.executor == nil, join(StreamSink(value: callback, other: { _ in })) { return self }
    node.subscribe(.data, on: context) { if case .value(let value) = $0 { callback(value.streamed(as: Value.self)) } }
    return self
  }

  private func onError(in context: PromiseContext, _ callback: @escaping (Failure) -> Void) -> Subscriber {
    observe(.errors, on: context) { if case .error(let error) = $0 { callback(error) } }
  }

  private func onEnd(on context: PromiseContext, _ callback: @escaping () -> Void) -> Subscriber {
    observe(.end, on: context) { if case .cancelled = $0 { callback() } }
  }

  private func observe(_ kinds: StreamKinds, on context: PromiseContext, _ callback: @escaping Callback) -> Subscriber {
    log.note(.publishing, "new callback")
    subscribe(kinds, on: context, callback)
    return self
  }

  /// Calls back at least for the states of the given kinds, without a line in the log.
  func subscribe(_ kinds: StreamKinds, on context: PromiseContext, _ callback: @escaping Callback) {
    if context.executor == nil, join(StreamSink(callback)) { return }
    node.subscribe(kinds, on: context) { callback($0.state()) }
  }
}
