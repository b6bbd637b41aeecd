extension Resolver {
  /// Whether somebody has asked for the pending future to be cancelled, or it is cancelled.
  public var isCancelRequested: Bool { cell.isCancelRequested }

  /// Calls `callback` when somebody asks for the future to be cancelled, or when the last resolver goes while the future
  /// is pending: before this returns, if the future has been asked, or is cancelled already. It is not called, and
  /// released, if the future is settled without having been asked.
  ///
  /// It is called at most once, in the order in which callbacks were registered. One with a context is not called if the
  /// future has been fulfilled or rejected by the time it would run there.
  ///
  /// - Parameters:
  ///   - context: where `callback` runs; `.immediate` is inside the call that asks. One with `.nowOr` runs now if the
  ///     request came before this call.
  ///   - callback: gets a resolver, so that it need not hold one: a callback that does keeps the future pending.
  public func onCancelRequest(
    on context: PromiseContext = .immediate, _ callback: @escaping (Resolver<Value, Failure>) -> Void
  ) {
    let isNow = context.isNowOr && isCancelRequested
    let resolver = currentResolver()
    cell.onCancelRequest {
      let resolver = resolver()
      if isNow { return PromiseContext.executing(now: true) { callback(resolver) } }
      if context == .immediate { return callback(resolver) }
      context.runApart {
        if resolver.isCancelRequested { callback(resolver) }
      }
    }
  }

  /// Ends the future as `future` does, once it does, unless it is settled otherwise before. A request for it to cancel is
  /// one of `future`, as of everything derived from that.
  ///
  /// The resolver is not needed any more: when it goes, that does not cancel the future.
  public func resolve(with future: Future<Value, Failure>) {
    handOver()
    if future.cell == cell {
      // It would wait for itself.
      _ = cell.settle(Fault.cycle.value, .rejected)
    } else if cell.state.isSettled {
      if isCancelRequested { future.makeChild().requestCancel() }
    } else if !cell.chain(after: future.cell, passesRequestsOn: true) {
      fatalError("no memory for a callback")
    }
  }
}
