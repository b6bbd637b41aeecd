/// A promise with its value's type erased: the base class of every `Promise`.
///
/// The object holds one reference to a cell of the engine, which is the promise, and no other state. C code, through
/// `abi`, and other objects can hold the same cell.
public class AnyPromise {
  @usableFromInline package let cell: CellRef

  /// Takes over the caller's reference to the cell.
  @inlinable package init(cell: CellRef) { self.cell = cell }

  deinit { cell.release() }

  /// The promise's state. It changes once; when callbacks run, it is final.
  ///
  /// - Thread: any.
  public final var state: PromiseState {
    let state = cell.seenState
    cell.noteReader()
    return !state.isSettled ? .pending : state.isRejected ? .rejected : .fulfilled
  }

  /// The reason of a rejected promise; `nil` if the promise is pending or fulfilled.
  ///
  /// `nil` is also a valid reason: read `state` to find out whether the promise was rejected.
  ///
  /// - Thread: any.
  public final var rejectReason: Any? {
    state == .rejected ? cell.value.reason : nil
  }

  /// Rejects a pending promise with `Discarded.discarded`, then calls its discard block, then its callbacks (clauses
  /// 2.4 and 3.5). No-op if the promise is settled. Does not propagate upstream: a promise that this one was derived
  /// from is not discarded.
  ///
  /// - Thread: any; the block and the callbacks run on the calling thread.
  public final func discard() { _ = cell.discard() }

  /// The promise's number in the reports of ``PromiseHooks``. The process never uses it again for another promise.
  public final var id: UInt64 { cell.id }

  /// The handle of the promise in the C ABI, a `promise_t *`: the same promise, not a copy.
  ///
  /// The reference is borrowed: the handle is valid as long as this object lives. C code that keeps it calls
  /// `promise_retain`.
  public final var abi: OpaquePointer {
    cell.noteReader()
    return unsafe OpaquePointer(bitPattern: UInt(cell.token.bits)).unsafelyUnwrapped
  }
}

/// The state of a promise (clause 2.1).
public enum PromiseState: Sendable {
  case pending, fulfilled, rejected
}

/// The reason of a promise that was discarded (clause 2.4.2).
public enum Discarded: Error, Sendable {
  case discarded
}
