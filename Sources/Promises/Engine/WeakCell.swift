import Synchronization

/// A reference to a promise that does not keep it.
package struct WeakCell: Equatable, Sendable {
  private let token: Token

  /// The caller has a reference to the cell.
  package init(_ cell: CellRef) {
    unsafe cell.cell.pointee.life.bitwiseOr(Life.weak, ordering: .relaxed)
    token = cell.token
  }

  /// The promise, with a reference for the caller; nil if it is gone.
  package func strong() -> CellRef? {
    guard let cell = token.cell(.promise) else { return nil }
    var life = unsafe cell.cell.pointee.life.load(ordering: .relaxed)
    while (life ^ token.bits) >> Life.kindShift == 0 {
      guard 1..<Life.referenceLimit ~= life & Life.referencesMask else { return nil }
      let (exchanged, original) = unsafe cell.cell.pointee.life.weakCompareExchange(
        expected: life, desired: life &+ 1, ordering: .acquiring)
      if exchanged { return cell }
      life = original
    }
    return nil
  }

  package static func == (one: WeakCell, other: WeakCell) -> Bool { one.token.bits == other.token.bits }
}
