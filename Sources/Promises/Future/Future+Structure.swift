// Futures that end as this one does, with no callback between. They differ in what becomes of requests to cancel.
extension Future {
  /// Another future with the same result, whose requests to cancel count as those of everything derived: to give each of
  /// several users one of their own.
  public func makeChild() -> Future { following() }

  /// Another future with the same result, which has nothing to do with this one's cancellation: asking it to cancel does
  /// nothing, and it keeps nobody else's request back.
  public func tap() -> Future { following(.none) }

  /// Another future with the same result, which asks for it to the end: asking it to cancel does nothing, and this one
  /// is not asked on behalf of others any more.
  public func ignoringCancel() -> Future { following(.lasting) }

  /// Another future with the same result that is cancelled at once when it is asked to cancel, whatever becomes of this
  /// one, which is asked first.
  public func cancellingImmediatelyUponRequest() -> Future {
    relayingRequests { child, request in
      request()
      _ = child.settle(rejecting: .cancelled(because: nil), reports: false)
    }
  }

  /// Another future with the same result, to be held while others use it: that it is held keeps no request back. Give
  /// each user a `makeChild()`; once all of those have been asked to cancel, it is asked itself.
  ///
  ///     let shared = download.propagatingCancellation { _ in cache.remove(url) }
  ///
  /// - Parameters:
  ///   - context: where `cancelRequested` runs.
  ///   - cancelRequested: called once with the future when it is asked to cancel, unless it is settled by then;
  ///     afterwards, at the same place, this one is asked.
  public func propagatingCancellation(
    on context: PromiseContext = .immediate, cancelRequested: @escaping (Future) -> Void
  ) -> Future {
    let shared = relayingRequests { child, request in
      let child = Future(cell: child.retained())
      context.runApart {
        if !child.isSettled { cancelRequested(child) }
        request()
      }
    }
    shared.cell.seal()
    return shared
  }

  /// A future of the same outcome.
  func following<NewFailure>(_ interest: Interest = .counted) -> Future<Value, NewFailure> {
    guard let follower = cell.follower(interest: interest) else { fatalError("no memory for a promise") }
    return Future<Value, NewFailure>(cell: follower)
  }

  /// A future of the same outcome that leaves it to `relay` to ask this one to cancel. `relay` gets the future's cell,
  /// borrowed, and how to ask.
  private func relayingRequests(_ relay: @escaping (CellRef, @escaping () -> Void) -> Void) -> Future {
    let source: Future = following()
    let child: Future = source.following(.lasting)
    let weak = WeakCell(child.cell)
    child.cell.onCancelRequest { weak.with { child in relay(child, source.requestCancel) } }
    return child
  }
}
