/// The read-only side of a promise, with a typed failure: pending, then fulfilled with a value, rejected with an error
/// or cancelled, once.
///
///     let (answer, resolver) = Future<Int, Never>.makeWithResolver()
///     answer.map { $0 * 2 }.onSuccess { print($0) }
///     resolver.fulfill(21)    // prints 42 before it returns
///
/// Consumers hold the future; the producer holds its `Resolver`. A `Future` and a `Promise` are two views of one
/// object: `promise.future` and `future.promise` convert without a copy. As a promise, a cancelled future is rejected
/// with `Discarded`.
///
/// **Failures.** `Failure` may be any type: an error enum, a `String`, `Never`. Some errors do not fit it: the engine
/// found a cycle, or another language rejected the promise with a reason of another type. Such an error cancels the
/// future and is its indirect error. If `Failure` is `any Error`, the future is rejected with it instead.
///
/// **Callbacks.** They run in their context (`on:`); `.immediate` is inside the call that settles the future, or that
/// attaches to a settled one. They run in the order of attachment, depth first, each at most once, never with a lock
/// held. A callback is released in its context, after it has run or was silenced by its token. If the outcome is not
/// one that it handles, it is released where the future is settled.
///
/// **Tokens.** A callback with a `token:` is not called once the token is invalidated. The future of an observer then
/// still gets the outcome; the future of a transformation is cancelled.
///
/// **Memory.** Running out of memory traps, as it does in Swift's own allocations.
///
/// **Threads.** Everything may be called from any thread, any number of times, in any state. The future is `Sendable`
/// if its value and error are. Closures need not be `Sendable`: use the state that they capture on one thread only, or
/// protect it.
public final class Future<Value, Failure> {
  @usableFromInline package let cell: CellRef

  /// Takes over the caller's reference to the cell.
  @inlinable package init(cell: CellRef) { self.cell = cell }

  deinit { cell.release() }
}

/// A future with `any Error` as its failure type.
public typealias ThrowingFuture<Value> = Future<Value, any Error>

// Sound for the reason given at Promise: cells are thread-safe.
extension Future: @unchecked Sendable where Value: Sendable, Failure: Sendable {}

extension Future: Equatable {
  /// Returns true if both are the same future; two futures of the same value are not equal.
  public static func == (one: Future, other: Future) -> Bool { one.cell == other.cell }
}

/// The state of a future.
public enum FutureState: Sendable {
  case pending, fulfilled, rejected, cancelled
}

extension Future {
  /// The outcome; `nil` if the future is pending. It is set before the first callback runs, and never changes.
  ///
  /// - Thread: any.
  @inlinable public var result: FutureResult<Value, Failure>? {
    guard let (value, isRejected) = cell.readOutcome() else { return nil }
    return value.result(isRejected: isRejected)
  }

  /// The future's state. It changes once.
  ///
  /// - Thread: any.
  @inlinable public var state: FutureState {
    switch result {
    case nil: .pending
    case .fulfilled: .fulfilled
    case .rejected: .rejected
    case .cancelled: .cancelled
    }
  }

  /// The future's number in the reports of ``PromiseHooks``: that of its promise, never used again for another one.
  public var id: UInt64 { cell.id }

  /// Whether the future is settled.
  public var isSettled: Bool {
    cell.noteReader()
    return cell.state.isSettled
  }

  /// The value of a fulfilled future, otherwise `nil`.
  @inlinable public var value: Value? { result?.value }

  /// The error of a rejected future, otherwise `nil`.
  @inlinable public var error: Failure? { result?.error }
}

extension CellRef {
  /// Returns the outcome, for a caller that reads it: counts as handling a rejection. `nil` if the promise is pending.
  /// The value is borrowed from the promise.
  @usableFromInline
  func readOutcome() -> (value: CellValue, isRejected: Bool)? {
    let state = seenState
    noteReader()
    return state.isSettled ? (value, state.isRejected) : nil
  }
}
