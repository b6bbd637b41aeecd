import Synchronization

/// A reference to a cell, of a promise as a rule, that does not keep it.
package struct WeakCell: Equatable, Sendable {
  private let token: Token

  /// The caller has a reference to the cell.
  package init(_ cell: CellRef) {
    unsafe cell.cell.pointee.life.bitwiseOr(Life.weak, ordering: .relaxed)
    token = cell.token
  }

  package init(token: Token) { self.token = token }

  /// What tells the cell from every other.
  package var bits: UInt64 { token.bits }

  /// The cell, with a reference for the caller; nil if it is gone.
  package func strong() -> CellRef? {
    guard let cell = token.cell(CellKind(rawValue: token.bits >> Life.kindShift & 7)) else { return nil }
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

  /// Whether the cell was there a moment ago.
  package var isAlive: Bool { token.cell(CellKind(rawValue: token.bits >> Life.kindShift & 7)) != nil }

  package static func == (one: WeakCell, other: WeakCell) -> Bool { one.token.bits == other.token.bits }
}
