// Futures with the same outcome as this one and no callback between. They differ in how they propagate requests to
// cancel.
extension Future {
  /// Returns a future with the same outcome, whose requests to cancel propagate like those of any derived future. Use
  /// it to give each of several users a future of their own.
  public func makeChild() -> Future { following() }

  /// Returns a future with the same outcome that takes no part in this one's cancellation: its own requests to cancel
  /// are ignored, and it does not keep back requests of others.
  public func tap() -> Future { following(.none) }

  /// Returns a future with the same outcome that keeps its interest in this one: its own requests to cancel are
  /// ignored, and requests of other derived futures no longer propagate to this one.
  public func ignoringCancel() -> Future { following(.lasting) }

  /// Returns a future with the same outcome that is cancelled as soon as it is asked to cancel. This future is asked
  /// first, and may continue.
  public func cancellingImmediatelyUponRequest() -> Future {
    relayingRequests { child, request in
      request()
      _ = child.settle(rejecting: .cancelled(because: nil), reports: false)
    }
  }

  /// Returns a shared future with the same outcome, for example for a cache: references to it do not count as interest.
  /// Give each user a `makeChild()`; when all of those have been asked to cancel, the shared future is asked too.
  ///
  ///     let shared = download.propagatingCancellation { _ in cache.remove(url) }
  ///
  /// - Parameter cancelRequested: called once, with the shared future, when that is asked to cancel, unless it is settled
  ///   by then. After it, in the same context, this future is asked.
  public func propagatingCancellation(cancelRequested: @escaping (Future) -> Void) -> Future {
    propagatingCancellation(.immediate, cancelRequested)
  }

  /// Returns a shared future; `cancelRequested` runs in `context`. See `propagatingCancellation(cancelRequested:)`.
  @_disfavoredOverload
  public func propagatingCancellation(
    on context: PromiseContext, cancelRequested: sending @escaping (Future) -> Void
  ) -> Future {
    propagatingCancellation(context, consume cancelRequested)
  }

  /// Returns a shared future; `cancelRequested` runs on the main actor. See `propagatingCancellation(cancelRequested:)`.
  public func propagatingCancellation(
    on main: MainContext, cancelRequested: consuming @escaping @MainActor (Future) -> Void
  ) -> Future {
    propagatingCancellation(main.place, main.calling(consume cancelRequested))
  }

  private func propagatingCancellation(
    _ context: PromiseContext, _ cancelRequested: consuming @escaping (Future) -> Void
  ) -> Future {
    let held = HandedCallback(consume cancelRequested)
    let shared = relayingRequests { child, request in
      guard let callback = held.take() else { return }
      context.runApart(Self.asking(Future(cell: child.retained()), consume callback, request))
    }
    shared.cell.seal()
    return shared
  }

  private static func asking(
    _ child: Future, _ cancelRequested: @escaping (Future) -> Void, _ request: @escaping () -> Void
  ) -> () -> Void {
    {
      if !child.isSettled { cancelRequested(child) }
      request()
    }
  }

  /// Returns a future that follows this one.
  func following<NewFailure>(_ interest: Interest = .counted) -> Future<Value, NewFailure> {
    guard let follower = cell.follower(interest: interest) else { fatalError("no memory for a promise") }
    return Future<Value, NewFailure>(cell: follower)
  }

  /// Returns a future that follows this one and leaves requests to cancel to `relay`. `relay` gets the future's cell,
  /// borrowed, and a closure that asks this future.
  private func relayingRequests(_ relay: @escaping (CellRef, @escaping () -> Void) -> Void) -> Future {
    let source: Future = following()
    let child: Future = source.following(.lasting)
    let weak = WeakCell(child.cell)
    child.cell.onCancelRequest { weak.with { child in relay(child, source.requestCancel) } }
    return child
  }
}
