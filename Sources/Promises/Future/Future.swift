/// The result of work that has not ended yet, for those who wait for it: pending, then fulfilled with a value, rejected
/// with an error or cancelled, once.
///
///     let (answer, resolver) = Future<Int, Never>.makeWithResolver()
///     answer.map { $0 * 2 }.onSuccess { print($0) }
///     resolver.fulfill(21)    // prints 42 before it returns
///
/// A future can be read and observed; who settles it has its `Resolver`. It is the same thing as a `Promise`, seen from
/// that side: `promise.future` and `future.promise` convert, and nothing is copied. To the promise, a cancelled future
/// is rejected with `Discarded`.
///
/// **Failures.** `Failure` may be any type: an error enum, a `String`, `Never`. A future that ends in a way which its
/// type has no room for - the engine found a cycle, another language rejected it with something else - is cancelled, and
/// the indirect error says why; where `Failure` is `any Error`, it is rejected with that error.
///
/// **Callbacks** run where their context (`on:`) says; `.immediate` is inside the call that settles the future, or that
/// attaches to a settled one. They run in the order in which they were attached, depth first, each at most once, never
/// with a lock held. A callback that ran, or would have but for its token, is released there; one for an outcome that
/// did not come, where the future is settled. With a `token:`, a callback is not called once the token is invalidated:
/// what only observes passes the result on then, what transforms cancels its future.
///
/// Everything may be called from any thread, any number of times, in any state. The future is `Sendable` where its value
/// and error are; closures are not required to be, so keep what they touch on one thread or protect it.
public final class Future<Value, Failure> {
  @usableFromInline package let cell: CellRef

  /// Takes over a reference to the cell.
  @inlinable package init(cell: CellRef) { self.cell = cell }

  deinit { cell.release() }
}

/// A future that may fail with any error.
public typealias ThrowingFuture<Value> = Future<Value, any Error>

// As for Promise: the cell is made to be used from several threads.
extension Future: @unchecked Sendable where Value: Sendable, Failure: Sendable {}

extension Future: Equatable {
  /// Whether both are the same future; two futures of the same value are not.
  public static func == (one: Future, other: Future) -> Bool { one.cell == other.cell }
}

/// Where a future is.
public enum FutureState: Sendable {
  case pending, fulfilled, rejected, cancelled
}

extension Future {
  /// How the future ended; `nil` while it is pending. It is set before the first callback runs, and never changes.
  ///
  /// - Thread: any.
  public var result: FutureResult<Value, Failure>? {
    let state = cell.seenState
    return state.isSettled ? cell.value.result(isRejected: state.isRejected) : nil
  }

  /// Where the future is. It changes once.
  ///
  /// - Thread: any.
  public var state: FutureState {
    switch result {
    case nil: .pending
    case .fulfilled: .fulfilled
    case .rejected: .rejected
    case .cancelled: .cancelled
    }
  }

  /// What the future is called in reports of ``PromiseHooks``. A promise that is the same has the same, and no other.
  public var id: UInt64 { cell.id }

  /// Whether the future is no longer pending.
  public var isSettled: Bool { cell.state.isSettled }

  /// The value of a fulfilled future.
  public var value: Value? { result?.value }

  /// The error of a rejected future.
  public var error: Failure? { result?.error }
}
