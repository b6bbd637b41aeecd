/// A promise whatever its value's type: what every `Promise` is.
///
/// The object holds one reference to a cell of the engine, and nothing else. The same cell can be held by C, through
/// `abi`, and by other objects; it is the promise.
public class AnyPromise {
  @usableFromInline package let cell: CellRef

  /// Takes over a reference to the cell.
  @inlinable package init(cell: CellRef) { self.cell = cell }

  deinit { cell.release() }

  /// Where the promise is. It changes once; while callbacks run it is final already.
  ///
  /// - Thread: any.
  public final var state: PromiseState {
    let state = cell.seenState
    return !state.isSettled ? .pending : state.isRejected ? .rejected : .fulfilled
  }

  /// Why the promise was rejected; `nil` while it is pending or when it was fulfilled.
  ///
  /// `nil` is a reason too: ask `state` whether the promise was rejected.
  ///
  /// - Thread: any.
  public final var rejectReason: Any? {
    state == .rejected ? cell.value.reason : nil
  }

  /// Rejects the promise with `Discarded.discarded` if it is pending, then calls its discard block, then its callbacks;
  /// otherwise does nothing (clauses 2.4 and 3.5). Promises that it was derived from go on.
  ///
  /// - Thread: any; the block and the callbacks run on the calling one.
  public final func discard() { _ = cell.discard() }

  /// What the promise is called in reports of ``PromiseHooks``. No other promise of the process ever has the same.
  public final var id: UInt64 { cell.id }

  /// The promise as C knows it, a `promise_t *`: the same promise, not a copy. It is borrowed: valid as long as this
  /// object lives. C code that keeps it calls `promise_retain`.
  public final var abi: OpaquePointer {
    unsafe OpaquePointer(bitPattern: UInt(cell.token.bits)).unsafelyUnwrapped
  }
}

/// Where a promise is (clause 2.1).
public enum PromiseState: Sendable {
  case pending, fulfilled, rejected
}

/// The reason of a promise that was discarded (clause 2.4.2).
public enum Discarded: Error, Sendable {
  case discarded
}

/// An error with a domain, a code and a message: what an ERROR of the C ABI is in Swift, and what this library itself
/// rejects promises with; its domain is "promise" then, and its code a `promise_status_t`.
public struct PromiseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Who defines the code.
  public var domain: String
  /// What went wrong, as the domain numbers it.
  public var code: Int64
  /// The same for people.
  public var message: String
  /// Where the error was made: a place in a source, a function, a plugin; `nil` if that is not known.
  public var origin: String?
  /// The errors that led to this one, the nearest first. Their own `causes` are empty: they follow in this list.
  public var causes: [PromiseError]

  /// Creates an error from its parts.
  public init(domain: String, code: Int64, message: String, origin: String? = nil, causes: [PromiseError] = []) {
    self.domain = domain
    self.code = code
    self.message = message
    self.origin = origin
    self.causes = causes
  }

  /// The message, with the domain and code, and the messages of what led to it.
  public var description: String {
    causes.reduce("\(message) (\(domain) \(code))") { "\($0), because of: \($1)" }
  }
}
