// A cancelled future is a discarded promise. The indirect error, if there is one, is the cause of the DISCARDED.
extension CellValue {
  /// Makes the reason of a cancellation, with the error that led to it.
  @usableFromInline
  static func cancelled(because error: (any Error)?) -> CellValue {
    guard let error else { return CellValue(kind: .discarded) }
    return .discarded(because: .encoding(failure: error))
  }

  /// Whether a promise rejected with this reason was cancelled.
  @usableFromInline var isCancellation: Bool { kind == ValueKind.discarded.rawValue }

  /// The error that led to the cancellation; nil without one.
  @usableFromInline
  var indirectError: (any Error)? { discardCause.map { $0.reason as? any Error ?? RejectionReason($0.reason) } }
}
