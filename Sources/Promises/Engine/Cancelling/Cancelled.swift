// A cancelled promise is rejected with a DISCARDED. One that has a cause - the error elsewhere that led to it - has a box.
extension CellValue {
  /// The reason of a promise that is cancelled because of `cause`. Takes over the cause; without memory, it is lost.
  package static func discarded(because cause: CellValue) -> CellValue {
    guard let box = Box.make(.discarded, count: 0, meta: 0, bits: cause.bits) else {
      cause.release()
      return CellValue(kind: .discarded)
    }
    let rest = UInt(cause.kind) | UInt(cause.box) << 32
    unsafe box.ref.cell.pointee.function = unsafe UnsafeMutableRawPointer(bitPattern: rest)
    return box.owningValue
  }

  /// What a DISCARDED was caused by, borrowed from it; nil if it has no cause or is something else.
  package var discardCause: CellValue? {
    guard kind == ValueKind.discarded.rawValue, box != 0 else { return nil }
    return Box(owner).cause
  }
}

extension Box {
  /// The cause that the box of a DISCARDED holds.
  var cause: CellValue {
    let rest = unsafe UInt(bitPattern: ref.cell.pointee.function)
    var cause = unsafe CellValue(kind: .void, bits: ref.cell.pointee.value.bits)
    cause.kind = UInt32(truncatingIfNeeded: rest)
    cause.box = UInt32(truncatingIfNeeded: rest >> 32)
    return cause
  }
}
