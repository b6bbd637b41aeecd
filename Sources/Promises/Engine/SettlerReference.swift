import CPlatform
import Synchronization

// The settler of a pending promise has a reference to it: the reaction of a derived promise, a submitted job, a gather,
// a timer, a stream, a ready event of a queue. A program that releases its handle once too often must not consume the
// settler's reference: the cell would be recycled, and the settler would settle a promise of another owner. So a
// release by handle is refused while the settler's reference is the only one.
//
// The settler releases its reference after it has settled the promise, or has cleared the mark by which it is
// recognized here. The list that a detached reaction stays in does so, too: the reaction's promise was settled by
// another call.
extension CellRef {
  /// Marks a new promise as one whose settler has a reference until the promise is settled.
  func keepForSettler() { mark(ReactionKind.kept) }

  /// Releases a reference of the program to a promise; `.stale` if the only one is the settler's.
  package func releaseHandleOfPromise() -> HandleRelease {
    guard !isLeftToSettler else { return .stale }
    release()
    return .released
  }

  /// Whether the only reference is the settler's of a pending promise, or that of the list with a detached reaction.
  private var isLeftToSettler: Bool {
    // Loaded before the state: a settler changes the state or the mark before it releases its reference.
    let references = acquiredLife & Life.referencesMask
    guard references <= 2 else { return false }
    let state = self.state
    guard references == (state.isSettled ? state.countOfLast : 1) else { return false }
    guard state.isSettled || state.source == 0 else { return true }
    let meta = unsafe platform_load_shared(metaAddress)
    if state.isSettled { return ReactionKind(rawValue: meta & ReactionKind.mask) == .detached }
    return meta & ReactionKind.kept != 0 || meta & DiscardBlock.answerable != 0 && isOfReadyEvent
  }
}
