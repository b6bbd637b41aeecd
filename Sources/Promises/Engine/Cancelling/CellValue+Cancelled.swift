// A cancelled promise is rejected with a DISCARDED. A DISCARDED with a cause, the error elsewhere that led to the
// cancellation, owns a box.
extension CellValue {
  /// Makes the reason of a promise that is cancelled because of `cause`. Takes ownership of the cause, which is lost
  /// when memory has run out.
  package static func discarded(because cause: CellValue) -> CellValue {
    guard let box = Box.make(.discarded, count: 0, meta: 0) else {
      cause.release()
      return CellValue(kind: .discarded)
    }
    unsafe box.discardCause.pointee = cause
    return box.owningValue
  }

  /// The cause of a DISCARDED, borrowed from it; nil if it has no cause, or for any other value.
  package var discardCause: CellValue? {
    guard kind == ValueKind.discarded.rawValue, box != 0 else { return nil }
    return unsafe Box(owner).discardCause.pointee
  }
}

extension Box {
  /// The cause in the box of a DISCARDED, stored in place of `function` and `context`.
  var discardCause: UnsafeMutablePointer<CellValue> {
    unsafe (UnsafeMutableRawPointer(ref.cell) + Cell.closureOffset).assumingMemoryBound(to: CellValue.self)
  }
}
