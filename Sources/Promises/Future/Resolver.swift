import Synchronization

/// What settles a future.
///
/// Whoever does the work keeps the resolver; copies are the same one. When the last of them goes and the future is still
/// pending, it is asked to cancel, if it has callbacks for that: they are given a resolver, and what keeps that one can
/// still settle the future. If nobody does, it is cancelled.
///
/// The first call settles the future and runs its callbacks before it returns. Later ones do nothing and return false;
/// `PromiseHooks.secondSettlement` is told of them.
///
/// Everything may be called from any thread, any number of times, in any state.
public final class Resolver<Value, Failure> {
  @usableFromInline package let cell: CellRef
  /// Whether the future ends as another does, so that nobody has to hold this.
  private let isHandedOver = Atomic<Bool>(false)
  /// Made with the first callback for a request.
  let succession = AtomicLazyReference<Succession<Value, Failure>>()

  /// Takes over a reference to the cell.
  package init(cell: CellRef) { self.cell = cell }

  deinit {
    if !isHandedOver.load(ordering: .relaxed) && !cell.state.isSettled {
      succession.load()?.askToCancel(cell)
      // Unless a callback keeps the resolver that it was given: then it is for that one to see to the future's end.
      if succession.load() == nil { _ = cell.settle(.cancelled(because: nil), .rejected) }
    }
    cell.release()
  }

  func handOver() { isHandedOver.store(true, ordering: .relaxed) }

  /// Fulfils the future. True if it was pending.
  @discardableResult
  @inlinable public func fulfill(_ value: Value) -> Bool {
    cell.settle(fulfilling: .encoding(value), reports: true)
  }

  /// Rejects the future. True if it was pending.
  ///
  /// To reject with `Discarded`, where the type allows it, is to cancel.
  @discardableResult
  public func reject(_ error: Failure) -> Bool {
    cell.settle(rejecting: .encoding(failure: error), reports: true)
  }

  /// Cancels the future, because of an error that happened elsewhere or for no reason. True if it was pending.
  @discardableResult
  public func cancel(because indirectError: (any Error)? = nil) -> Bool {
    cell.settle(rejecting: .cancelled(because: indirectError), reports: true)
  }

  /// Ends the future so. True if it was pending.
  @discardableResult
  public func resolve(_ result: FutureResult<Value, Failure>) -> Bool {
    let (value, outcome) = result.encoded
    return outcome.isRejected
      ? cell.settle(rejecting: value, reports: true) : cell.settle(fulfilling: value, reports: true)
  }
}

// As for Promise: the cell is made to be used from several threads.
extension Resolver: @unchecked Sendable where Value: Sendable, Failure: Sendable {}

extension Resolver where Value == Void {
  /// Fulfils the future. True if it was pending.
  @discardableResult
  @inlinable public func fulfill() -> Bool { fulfill(()) }
}

extension Resolver where Failure: Error {
  /// Ends the future so. True if it was pending.
  @discardableResult
  public func resolve(_ result: Result<Value, Failure>) -> Bool { resolve(FutureResult(result)) }
}

extension Resolver where Failure == any Error {
  /// Ends the future so. True if it was pending.
  @discardableResult
  public func resolve<E: Error>(_ result: FutureResult<Value, E>) -> Bool {
    resolve(result.mapError { $0 as any Error })
  }

  /// Ends the future so. True if it was pending.
  @discardableResult
  public func resolve<E: Error>(_ result: Result<Value, E>) -> Bool {
    resolve(FutureResult(result))
  }

  /// A callback for functions that give a value or an error: with a value it fulfils the future, whatever the error;
  /// with an error alone it rejects or cancels it; with neither it rejects it with `CallbackError.apiMismatch`.
  ///
  /// The callback holds the resolver: if it is released without having been called, that may cancel the future.
  ///
  /// - Parameter isCancelError: whether an error means that the work was cancelled.
  public func handleCallback(
    isCancelError: @escaping (any Error) -> Bool = { _ in false }
  ) -> (Value?, (any Error)?) -> Void {
    { value, error in
      if let value {
        self.fulfill(value)
      } else if let error {
        if isCancelError(error) { self.cancel() } else { self.reject(error) }
      } else {
        self.reject(CallbackError.apiMismatch)
      }
    }
  }
}

/// What is wrong with how a callback was called.
public enum CallbackError: Int, Error {
  /// It was given neither a value nor an error, so that nobody knows what happened.
  case apiMismatch
}
