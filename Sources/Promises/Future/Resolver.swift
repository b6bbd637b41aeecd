import Synchronization

/// The producer's side of a future, which settles it.
///
/// The producer keeps the resolver; copies refer to the same object. If the last reference is released while the future
/// is pending, the handlers of `onCancelRequest` run with a new resolver, which can still settle the future. Without a
/// handler, or once the new resolver is released in turn, the future is cancelled.
///
/// The first settling call settles the future and runs its callbacks before it returns. Later calls are no-ops, return
/// false and are reported to `PromiseHooks.secondSettlement`. `resolve(with:)` is not reported: the other future keeps
/// its outcome, and an error of it stays unhandled.
///
/// Everything may be called from any thread, any number of times, in any state.
public final class Resolver<Value, Failure> {
  @usableFromInline package let cell: CellRef
  /// Whether the future follows another one, so that releasing this resolver must not cancel it.
  @usableFromInline let isDisarmed = Atomic<Bool>(false)
  /// Created with the first handler of cancel requests.
  @usableFromInline let cancelResolver = AtomicLazyReference<CancelResolver>()

  /// Takes over the caller's reference to the cell.
  @inlinable package init(cell: CellRef) { self.cell = cell }

  /// Creates a pending future and its resolver.
  ///
  ///     let resolver = Resolver<Int, any Error>()
  ///     start(resolver)
  ///     return resolver.future
  @inlinable public convenience init() { self.init(cell: .pending()) }

  /// The future that this resolver settles: the same one at each access.
  @inlinable public var future: Future<Value, Failure> { Future(cell: cell.retained()) }

  deinit {
    if !isDisarmed.load(ordering: .relaxed) && !cell.state.isSettled {
      cancelResolver.load()?.requestCancel(cell, passing: Resolver(cell: cell.retained()))
      // With handlers, the resolver passed to them cancels the future on its own release.
      if cancelResolver.load() == nil { _ = cell.settle(.cancelled(because: nil), .rejected) }
    }
    cell.release()
  }

  func disarm() { isDisarmed.store(true, ordering: .relaxed) }

  /// Fulfils the future.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  @inlinable public func fulfill(_ value: Value) -> Bool {
    cell.settle(fulfilling: .encoding(value), reports: true)
  }

  /// Rejects the future. If `Failure` admits it, an error `Discarded` cancels the future.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  @inlinable public func reject(_ error: Failure) -> Bool {
    cell.settle(rejecting: .encoding(failure: error), reports: true)
  }

  /// Cancels the future, with or without an indirect error.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  public func cancel(because indirectError: (any Error)? = nil) -> Bool {
    cell.settle(rejecting: .cancelled(because: indirectError), reports: true)
  }

  /// Settles the future with `result`.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  @inlinable public func resolve(_ result: FutureResult<Value, Failure>) -> Bool {
    switch result {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    case .cancelled(let error): cancel(because: error)
    }
  }
}

// Sound for the reason given at Promise: cells are thread-safe.
extension Resolver: @unchecked Sendable where Value: Sendable, Failure: Sendable {}

extension Resolver where Value == Void {
  /// Fulfils the future.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  @inlinable public func fulfill() -> Bool { fulfill(()) }
}

extension Resolver where Failure: Error {
  /// Settles the future with `result`.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  @inlinable public func resolve(_ result: Result<Value, Failure>) -> Bool { resolve(FutureResult(result)) }
}

extension Resolver where Failure == any Error {
  /// Settles the future with `result`.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  public func resolve<E: Error>(_ result: FutureResult<Value, E>) -> Bool {
    resolve(result.mapError { $0 as any Error })
  }

  /// Settles the future with `result`.
  ///
  /// - Returns: true if it was pending.
  @discardableResult
  public func resolve<E: Error>(_ result: Result<Value, E>) -> Bool {
    resolve(FutureResult(result))
  }

  /// Returns a completion handler for functions that report a value or an error. A value fulfils the future, even if an
  /// error comes with it. An error alone rejects or cancels it. A call with neither rejects it with
  /// `CallbackError.apiMismatch`.
  ///
  /// The handler holds the resolver: releasing it without a call can cancel the future. Any thread may call it. A value
  /// that is not `Sendable` belongs to the future from then on: the caller must not use it any more.
  ///
  /// - Parameter isCancelError: whether an error means that the work was cancelled.
  public func handleCallback(
    isCancelError: @escaping @Sendable (any Error) -> Bool = { _ in false }
  ) -> @Sendable (Value?, (any Error)?) -> Void {
    // Sound for values that are not Sendable, too: the cell is thread-safe.
    nonisolated(unsafe) let resolver = self
    return { value, error in
      let resolver = unsafe resolver
      if let value {
        resolver.fulfill(value)
      } else if let error {
        if isCancelError(error) { resolver.cancel() } else { resolver.reject(error) }
      } else {
        resolver.reject(CallbackError.apiMismatch)
      }
    }
  }
}

/// The error of a completion handler that was called with wrong arguments.
public enum CallbackError: Int, Error {
  /// Neither a value nor an error was given.
  case apiMismatch
}
