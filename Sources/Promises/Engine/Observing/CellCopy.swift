import CPlatform
import Synchronization

/// A snapshot of a cell, read while other threads may write it. The memory always holds cells, so reading is safe; a
/// snapshot is valid only if the cell has not been freed meanwhile.
struct CellCopy {
  let index: UInt32
  let state: CellState
  let life: UInt64
  let next: UInt32
  let meta: UInt32
  let context: UInt64

  /// Copies a cell. Nil if the cell is free, as most are after a peak of load, or was freed meanwhile.
  init?(_ index: UInt32) {
    guard index != 0, UInt64(index) < Slab.committed.load(ordering: .relaxed) else { return nil }
    let ref = CellRef(index: index)
    guard ref.life & Life.kindMask != 0 else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    unsafe withUnsafeMutablePointer(to: &words) { words in
      unsafe platform_copy_words(
        ref.cell, UnsafeMutableRawPointer(words).assumingMemoryBound(to: UInt64.self), 8)
    }
    self.index = index
    state = CellState(words.0)
    life = words.1
    next = UInt32(truncatingIfNeeded: words.4)
    meta = UInt32(truncatingIfNeeded: words.4 >> 32)
    context = words.6
    guard life & Life.kindMask != 0, isCurrent else { return nil }
  }

  /// Whether the cell still has the same generation and kind.
  var isCurrent: Bool {
    (CellRef(index: index).acquiredLife ^ life) >> Life.kindShift == 0
  }

  func isOf(_ kind: CellKind) -> Bool { life & Life.kindMask == kind.rawValue << Life.kindShift }

  var references: UInt64 { life & Life.referencesMask }
  var id: UInt64 { life & ~Life.holdersMask | UInt64(index) }
  var reactionKind: ReactionKind { ReactionKind(rawValue: meta & ReactionKind.mask) }
  var isUnheld: Bool { reactionKind != .rescue && meta & ReactionKind.unheld != 0 }

  /// Whether the cell is a promise, rather than an unheld reaction to one.
  var isPromise: Bool { isOf(.promise) && isHoldable }

  /// Whether a handle to a cell of the kind `promise` may exist.
  var isHoldable: Bool {
    switch reactionKind {
    case .observe, .cancelHandler, .link, .input: return false
    default: return !isUnheld
    }
  }

  /// The index of the cell at the address in `context`; 0 if there is none.
  var contextIndex: UInt32 {
    let offset = context &- UInt64(Slab.base.load(ordering: .relaxed))
    let index = offset / UInt64(Cell.size)
    return index < Slab.committed.load(ordering: .relaxed) ? UInt32(truncatingIfNeeded: index) : 0
  }
}
