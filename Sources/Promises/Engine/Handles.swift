import Synchronization

// Handles, counted apart from references, for what somebody's last handle ends though others still refer to it. The
// count is in a cell's state word:
//
//   31       8 7      0
//   [ handles | flags  ]
//
// All handles together have one reference to the cell.
extension CellRef {
  static var oneHandle: UInt64 { 1 << 8 }
  private static var handlesMask: UInt64 { 0xffff_ff00 }

  /// Takes another handle; false if there are too many, or the last one is gone.
  func retainHandle() -> Bool {
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while true {
      let handles = current & CellRef.handlesMask
      guard handles != 0, handles < CellRef.handlesMask else { return false }
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current &+ CellRef.oneHandle, ordering: .relaxed)
      if exchanged { return true }
      current = original
    }
  }

  /// Gives a handle back; true for the last one, with which the caller gets the reference. Without a handle left, as when
  /// two threads give the same one back, it does nothing.
  func releaseHandle() -> Bool {
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while current & CellRef.handlesMask != 0 {
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current &- CellRef.oneHandle, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if exchanged { return current & CellRef.handlesMask == CellRef.oneHandle }
      current = original
    }
    return false
  }

  /// Whether somebody has a handle.
  var hasHandles: Bool { unsafe cell.pointee.state.load(ordering: .relaxed) & CellRef.handlesMask != 0 }
}
