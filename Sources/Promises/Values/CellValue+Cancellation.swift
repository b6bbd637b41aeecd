// A cancelled future is a discarded promise. The indirect error, if it has one, is the cause of the DISCARDED.
extension CellValue {
  /// The reason of a cancellation, with the error because of which it happened.
  @usableFromInline
  static func cancelled(because error: (any Error)?) -> CellValue {
    guard let error else { return CellValue(kind: .discarded) }
    return .discarded(because: .encoding(failure: error))
  }

  /// Whether a promise rejected with this was cancelled.
  var isCancellation: Bool { kind == ValueKind.discarded.rawValue }

  /// The error because of which a cancellation happened, if there is one.
  var indirectError: (any Error)? { discardCause.map { $0.reason as? any Error ?? RejectionReason($0.reason) } }
}
