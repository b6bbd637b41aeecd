// A cancelled promise is rejected with a DISCARDED. One that has a cause - the error elsewhere that led to it - has a box.
extension CellValue {
  /// The reason of a promise that is cancelled because of `cause`. Takes over the cause; without memory, it is lost.
  package static func discarded(because cause: CellValue) -> CellValue {
    guard let box = Box.make(.discarded, count: 0, meta: 0) else {
      cause.release()
      return CellValue(kind: .discarded)
    }
    unsafe box.discardCause.pointee = cause
    return box.owningValue
  }

  /// What a DISCARDED was caused by, borrowed from it; nil if it has no cause or is something else.
  package var discardCause: CellValue? {
    guard kind == ValueKind.discarded.rawValue, box != 0 else { return nil }
    return unsafe Box(owner).discardCause.pointee
  }
}

extension Box {
  /// The cause that the box of a DISCARDED holds, in the place of a function and a context.
  var discardCause: UnsafeMutablePointer<CellValue> {
    unsafe (UnsafeMutableRawPointer(ref.cell) + Cell.closureOffset).assumingMemoryBound(to: CellValue.self)
  }
}
