extension Resolver {
  /// Whether the pending future was asked to cancel, or was settled by cancellation.
  public var isCancelRequested: Bool { cell.isCancelRequested }

  /// Attaches a handler for requests to cancel the future. It also runs when the last resolver is released while the
  /// future is pending.
  ///
  /// The handler runs at most once; before this returns if the future was asked or cancelled before. Handlers run in
  /// the order of registration. If the future is settled without a request, the handler is released without a call. A
  /// handler with a context is not called if the future has been fulfilled or rejected by the time it would run there.
  ///
  /// - Parameter callback: runs inside the request. Its argument is a resolver, so that it need not capture one: a
  ///   handler that captures a resolver keeps the future pending.
  public func onCancelRequest(_ callback: @escaping (Resolver<Value, Failure>) -> Void) {
    onCancelRequest(.immediate, callback)
  }

  /// Attaches a handler that runs in `context`; with `.nowOr`, now if the request came before this call. See
  /// `onCancelRequest(_:)`.
  @_disfavoredOverload
  public func onCancelRequest(
    on context: PromiseContext, _ callback: sending @escaping (Resolver<Value, Failure>) -> Void
  ) {
    onCancelRequest(context, consume callback)
  }

  /// Attaches a handler that runs on the main actor. See `onCancelRequest(_:)`.
  public func onCancelRequest(
    on main: MainContext, _ callback: consuming @escaping @MainActor (Resolver<Value, Failure>) -> Void
  ) {
    onCancelRequest(main.place, main.calling(consume callback))
  }

  private func onCancelRequest(
    _ context: PromiseContext, _ callback: consuming @escaping (Resolver<Value, Failure>) -> Void
  ) {
    let isNow = context.isNowOr && isCancelRequested
    let resolver = currentResolver()
    let held = SubmittedCallback(consume callback)
    cell.onCancelRequest {
      let resolver = resolver()
      guard let callback = held.take() else { return }
      if isNow { return PromiseContext.executing(now: true) { callback(resolver) } }
      if context == .immediate { return callback(resolver) }
      context.runApart(Self.asking(resolver, consume callback))
    }
  }

  private static func asking(
    _ resolver: Resolver, _ callback: @escaping (Resolver<Value, Failure>) -> Void
  ) -> () -> Void {
    { if resolver.isCancelRequested { callback(resolver) } }
  }

  /// Makes the future follow `future`: it is settled with that outcome, unless it is settled before. A request to
  /// cancel it propagates to `future`, as from a derived future. If it is settled already, this is a no-op, without a
  /// report: `future` keeps its outcome.
  ///
  /// The resolver is no longer needed: its release does not cancel the future. A future that would wait for itself,
  /// also through others, is cancelled because of a `PromiseError`.
  public func resolve(with future: Future<Value, Failure>) {
    disarm()
    var hasMemory = true
    switch cell.follow(future.cell) {
    case .follows: break
    case .isSettled: if isCancelRequested { future.makeChild().requestCancel() }
    case .cycle: _ = cell.settle(Fault.cycle.value, .rejected)
    // The promise already follows another: the first of the two outcomes settles it.
    case .isTaken: hasMemory = cell.chain(after: future.cell, propagatesRequests: true)
    case .outOfMemory: hasMemory = false
    }
    if !hasMemory { fatalError("no memory for a callback") }
  }
}
