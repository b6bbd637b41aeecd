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

  /// The reference that a callback's context is.
  init(context: UnsafeMutableRawPointer?) { self.init(token: Token(bits: UInt64(UInt(bitPattern: context)))) }
  var context: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: UInt(bits)) }

  /// What tells the cell from every other.
  package var bits: UInt64 { token.bits }

  /// The cell, with a reference for the caller; nil if it is gone.
  package func strong() -> CellRef? {
    guard let cell = token.cell(CellKind(rawValue: token.bits >> Life.kindShift & 7)),
      cell.retain(while: { ($0 ^ token.bits) >> Life.kindShift == 0 })
    else { return nil }
    return cell
  }

  /// Calls the body with the cell, which stays meanwhile; not if it is gone.
  package func with(_ body: (CellRef) -> Void) {
    guard let cell = strong() else { return }
    body(cell)
    cell.releaseBorrowed()
  }

  /// Whether the cell was there a moment ago.
  package var isAlive: Bool { token.cell(CellKind(rawValue: token.bits >> Life.kindShift & 7)) != nil }

  package static func == (one: WeakCell, other: WeakCell) -> Bool { one.token.bits == other.token.bits }
}

extension CellRef {
  /// Takes a reference as long as the life word is one that is meant; false if it is not, or the last reference is gone.
  @inline(__always)
  func retain(while isMeant: (_ life: UInt64) -> Bool) -> Bool {
    var life = unsafe cell.pointee.life.load(ordering: .relaxed)
    while isMeant(life) {
      guard 1..<Life.referenceLimit ~= life & Life.referencesMask else { return false }
      let (exchanged, original) = unsafe cell.pointee.life.weakCompareExchange(
        expected: life, desired: life &+ 1, ordering: .acquiring)
      if exchanged { return true }
      life = original
    }
    return false
  }
}
