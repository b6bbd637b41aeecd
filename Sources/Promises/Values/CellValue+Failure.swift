// How the outcome of a future lies in a cell: a value as that of a promise, a failure as a promise's reason, so that the
// same cell is both.

extension CellValue {
  @usableFromInline
  static func encoding<Failure>(failure: Failure) -> CellValue {
    // A reason that was wrapped to be an Error goes back as it came.
    if let wrapper = failure as? RejectionReason { return unsafe .encoding(reason: wrapper.reason) }
    return .encoding(reason: .some(failure))
  }

  /// What becomes of an error that is not the user's, in a future of that failure type: where it cannot be a failure,
  /// the future is cancelled because of it.
  @usableFromInline
  static func encoding<Failure>(fault: any Error, as failure: Failure.Type) -> CellValue {
    fault is Failure ? .encoding(reason: fault) : .cancelled(because: fault)
  }

  /// The outcome that the value is, of a future of those types.
  ///
  /// A promise that another language settled, or the engine, may hold something else: an error says so, as above.
  @usableFromInline
  func result<Value, Failure>(isRejected: Bool) -> FutureResult<Value, Failure> {
    if isRejected {
      switch rejection(as: Failure.self) {
      case .rejected(let error): return .rejected(error)
      case .cancelled(let error): return .cancelled(error)
      }
    }
    if let value = decoded(as: Value.self) { return .fulfilled(value) }
    let mismatch: any Error = mismatch(Value.self)
    return (mismatch as? Failure).map { .rejected($0) } ?? .cancelled(mismatch)
  }

  /// The outcome that a reason is.
  @usableFromInline
  func rejection<Failure>(as type: Failure.Type) -> FutureResult<Never, Failure> {
    if isCancellation { return .cancelled(indirectError) }
    if let failure = decoded(as: Failure.self) { return .rejected(failure) }
    let reason = self.reason
    if let wrapper = RejectionReason(reason) as? Failure { return .rejected(wrapper) }
    return .cancelled(reason as? any Error ?? RejectionReason(reason))
  }
}

/// A reason that is no `Error`, as one: what a `Future` fails with whose promise was rejected with it.
public struct RejectionReason: Error {
  /// The reason as the promise has it: of any type, so it is as safe between threads as the promise was made.
  public nonisolated(unsafe) let reason: Any?

  /// Wraps a reason.
  public init(_ reason: Any?) { unsafe self.reason = reason }
}
