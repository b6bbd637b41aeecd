import Synchronization

// Handles are counted apart from references, for objects that end with the last handle of their users although other
// cells still refer to them. The count is in the cell's state word:
//
//   31       8 7      0
//   [ handles | flags  ]
//
// All handles together own one reference to the cell.
extension CellRef {
  private static var oneHandle: UInt64 { 1 << 8 }
  private static var handlesMask: UInt64 { 0xffff_ff00 }

  /// Sets the state of a new cell: one handle, and flags.
  func startHandles(_ flags: UInt64 = 0) {
    unsafe cell.pointee.state.store(CellRef.oneHandle | flags, ordering: .relaxed)
  }

  /// Takes another handle; false if there are too many, or the last one was released.
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

  /// Releases a handle; true for the last one, whose caller gets the reference. A no-op if no handle is left, as when
  /// two threads release the same handle.
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

  /// Whether a handle exists.
  package var hasHandles: Bool { unsafe cell.pointee.state.load(ordering: .relaxed) & CellRef.handlesMask != 0 }
}
