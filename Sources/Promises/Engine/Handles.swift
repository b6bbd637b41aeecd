import Synchronization

// Handles are counted apart from references, for objects that end with the last handle of their users although other
// cells still refer to them. The count is in the cell's state word:
//
//   31       8 7      0
//   [ handles | flags  ]
//
// All handles together own one reference to the cell.

/// The result of taking a handle.
package enum HandleRetain {
  case retained
  /// There are too many handles.
  case outOfRange
  /// The last handle was released.
  case stale
}

/// The result of releasing a handle.
package enum HandleRelease {
  case released
  /// The handle was the last one: the caller gets the reference of all handles.
  case last
  /// No handle was left, as when two threads release the same one.
  case stale
}

extension CellRef {
  private static var oneHandle: UInt64 { 1 << 8 }
  private static var handlesMask: UInt64 { 0xffff_ff00 }

  /// Sets the state of a new cell: one handle, and flags.
  func startHandles(_ flags: UInt64 = 0) {
    unsafe cell.pointee.state.store(CellRef.oneHandle | flags, ordering: .relaxed)
  }

  /// Takes another handle.
  func retainHandle() -> HandleRetain {
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while true {
      let handles = current & CellRef.handlesMask
      guard handles != 0 else { return .stale }
      guard handles < CellRef.handlesMask else { return .outOfRange }
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current &+ CellRef.oneHandle, ordering: .relaxed)
      if exchanged { return .retained }
      current = original
    }
  }

  /// Releases a handle.
  func releaseHandle() -> HandleRelease {
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while current & CellRef.handlesMask != 0 {
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current &- CellRef.oneHandle, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if exchanged { return current & CellRef.handlesMask == CellRef.oneHandle ? .last : .released }
      current = original
    }
    return .stale
  }

  /// Whether a handle exists.
  package var hasHandles: Bool { unsafe cell.pointee.state.load(ordering: .relaxed) & CellRef.handlesMask != 0 }
}
