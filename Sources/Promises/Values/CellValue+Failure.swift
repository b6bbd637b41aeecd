// The representation of a future's outcome in a cell: a value is stored as a promise's value and a failure as a
// promise's reason, so a promise and a future share one cell.

extension CellValue {
  @inlinable
  static func encoding<Failure>(failure: Failure) -> CellValue {
    if Failure.self == (any Error).self { return .encoding(error: cast(failure, to: (any Error).self)) }
    // A reason that was wrapped to conform to Error is stored unwrapped.
    if let wrapper = failure as? RejectionReason { return unsafe .encoding(reason: wrapper.reason) }
    return .encodingKnown(failure) ?? .object(SwiftBox(failure), isError: failure is any Error)
  }

  /// Converts a library error for a future with this failure type. If the error is not of that type, the future is
  /// cancelled with it as indirect error.
  @inlinable
  static func encoding<Failure>(fault: any Error, as failure: Failure.Type) -> CellValue {
    fault is Failure ? .encoding(reason: fault) : .cancelled(because: fault)
  }

  /// Converts the value to the outcome of a future with these types.
  ///
  /// A promise settled by another language, or by the engine, may hold a value of another type. The outcome is then an
  /// error that describes the mismatch, converted by `encoding(fault:as:)`.
  @inlinable
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

  /// Converts a reason to the outcome of a future.
  @inlinable
  func rejection<Failure>(as type: Failure.Type) -> FutureResult<Never, Failure> {
    if isCancellation { return .cancelled(indirectError) }
    if let failure = decoded(as: Failure.self) { return .rejected(failure) }
    let reason = self.reason
    if let wrapper = RejectionReason(reason) as? Failure { return .rejected(wrapper) }
    return .cancelled(reason as? any Error ?? RejectionReason(reason))
  }
}

/// An `Error` that wraps a reason which is not an `Error`: the failure of a `Future` whose promise was rejected with
/// such a reason.
public struct RejectionReason: Error {
  /// The promise's reason. It can be of any type, so its thread safety is the responsibility of the code that rejected
  /// the promise.
  public nonisolated(unsafe) let reason: Any?

  /// Wraps a reason.
  public init(_ reason: Any?) { unsafe self.reason = reason }
}
