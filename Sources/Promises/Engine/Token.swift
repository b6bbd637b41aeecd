import Synchronization

/// The bits by which callers outside the engine name a cell: its index, and the generation, kind and runtime that the
/// cell had when the token was made.
package struct Token: Equatable {
  package let bits: UInt64
  @inline(__always) package init(bits: UInt64) { self.bits = bits }

  static var indexMask: UInt64 { 0x0fff_ffff }

  /// The cell, if the token is of this runtime and of that kind, and its cell has not been freed since. Safe for any
  /// bits: an index beyond the slab is rejected by its range before memory is read.
  @inline(__always)
  package func cell(_ kind: CellKind) -> CellRef? {
    // One comparison for the kind and the range: with another kind's bits the index is beyond every slab.
    let index = bits & (Life.kindMask | Token.indexMask) ^ kind.rawValue << Life.kindShift
    guard index < Slab.committed.load(ordering: .relaxed) else { return nil }
    let ref = CellRef(index: UInt32(truncatingIfNeeded: index))
    guard (ref.life ^ bits) >> Life.kindShift == 0 else { return nil }
    return ref
  }
}

/// A newly allocated cell with its token. The allocator knows the token; to compute it from the life word, which was
/// just written, would be slower.
package struct NewCell {
  package let ref: CellRef
  package let token: Token
}

extension Token {
  /// The cell of the kind `other`, if it is of that subkind.
  package func cell(_ subkind: CellSubkind) -> CellRef? {
    guard let ref = cell(.other), ref.subkind == subkind else { return nil }
    return ref
  }

  /// The cell of a subkind whose cells are marked as weakly referenced when they are made (WeakCell.swift), with a
  /// reference for the caller; nil if the last handle was released. Safe against a concurrent release.
  package func pinned(_ subkind: CellSubkind) -> CellRef? {
    guard let ref = cell(.other),
      ref.retain(while: { $0 & Life.weak != 0 && ($0 ^ bits) >> Life.kindShift == 0 })
    else { return nil }
    if ref.subkind == subkind && ref.hasHandles { return ref }
    ref.release()
    return nil
  }
}

extension CellRef {
  /// Allocates a cell of the kind `other`; all other fields keep the values of the last owner. Nil when memory has run
  /// out.
  static func allocate(_ subkind: CellSubkind) -> CellRef? {
    guard let ref = allocate(.other, references: 1) else { return nil }
    ref.meta = subkind.rawValue
    return ref
  }

  var subkind: CellSubkind { CellSubkind(rawValue: meta) }

  @inline(__always)
  package var token: Token {
    Token(bits: life & ~Life.holdersMask | UInt64(index))
  }
}
