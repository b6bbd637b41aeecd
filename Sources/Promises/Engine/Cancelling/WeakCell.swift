/// A weak reference to a cell, usually of a promise.
package struct WeakCell: Equatable, Sendable {
  private let token: Token

  /// Makes a weak reference. The caller must have a strong one.
  package init(_ cell: CellRef) {
    cell.watch()
    token = cell.token
  }

  package init(token: Token) { self.token = token }

  /// The weak reference stored in a callback's context.
  init(context: UnsafeMutableRawPointer?) { self.init(token: Token(bits: UInt64(UInt(bitPattern: context)))) }
  var context: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: UInt(bits)) }

  /// A number that identifies the cell.
  package var bits: UInt64 { token.bits }

  /// The cell, with a reference for the caller; nil if it was destroyed.
  package func strong() -> CellRef? {
    guard let cell = token.cell(CellKind(rawValue: token.bits >> Life.kindShift & 7)),
      cell.retain(while: { ($0 ^ token.bits) >> Life.kindShift == 0 })
    else { return nil }
    return cell
  }

  /// Calls the body with the cell, retained for the call; a no-op if the cell was destroyed.
  package func with(_ body: (CellRef) -> Void) {
    guard let cell = strong() else { return }
    body(cell)
    cell.releaseBorrowed()
  }

  /// Whether the cell exists. The result may be outdated when this returns.
  package var isAlive: Bool { token.cell(CellKind(rawValue: token.bits >> Life.kindShift & 7)) != nil }

  package static func == (one: WeakCell, other: WeakCell) -> Bool { one.token.bits == other.token.bits }
}
