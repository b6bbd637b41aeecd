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
    let child: Future = following()
    child.cell.cancelAtEndOfRequest()
    return child
  }

  /// Returns a shared future with the same outcome, for example for a cache: references to it do not count as interest.
  /// Give each user a `makeChild()`; when all of those have been asked to cancel, the shared future is asked too.
  ///
  ///     let shared = download.propagatingCancellation { _ in cache.remove(url) }
  ///
  /// - Parameter cancelRequested: called once, with the shared future, when cancellation of the shared future is
  ///   requested while it is pending. The original future is asked to cancel after the call, in the same context.
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

  /// Returns a shared future; `cancelRequested` runs on the main actor. See
  /// `propagatingCancellation(cancelRequested:)`.
  public func propagatingCancellation(
    on main: MainContext, cancelRequested: consuming @escaping @MainActor (Future) -> Void
  ) -> Future {
    propagatingCancellation(main.place, main.calling(consume cancelRequested))
  }

  private func propagatingCancellation(
    _ context: PromiseContext, _ cancelRequested: consuming @escaping (Future) -> Void
  ) -> Future {
    let held = SubmittedCallback(consume cancelRequested)
    // Without a context, the request propagates as from any derived future. With a context, it waits for the callback.
    let isInline = context.place == .immediate
    let source: Future? = isInline ? nil : following()
    let shared: Future = source?.following(.lasting) ?? following()
    let weak = WeakCell(shared.cell)
    shared.cell.onCancelRequest {
      weak.with { shared in
        let shared = Future(cell: shared.retained())
        let dispatch = {
          guard let callback = held.take() else { return }
          context.runApart(Self.asking(shared, consume callback, source))
        }
        if isInline { dispatch() } else { RequestTurns.run(dispatch) }
      }
    }
    shared.cell.seal()
    return shared
  }

  private static func asking(
    _ shared: Future, _ cancelRequested: @escaping (Future) -> Void, _ source: Future?
  ) -> () -> Void {
    {
      if !shared.isSettled { cancelRequested(shared) }
      source?.requestCancel()
    }
  }

  /// Returns a future that follows this one.
  func following<NewFailure>(_ interest: Interest = .counted) -> Future<Value, NewFailure> {
    guard let follower = cell.follower(interest: interest) else { fatalError("no memory for a promise") }
    return Future<Value, NewFailure>(cell: follower)
  }
}
