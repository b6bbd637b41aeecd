import CPlatform
import Synchronization

// A reaction that settles its promise, whose outcome has no dependents yet, releases its own reference by the exchange
// that publishes the outcome. The flag `overcounted` means: from here on `life` counts one reference too many. That
// takes one atomic operation instead of two. The call that releases the last other reference sees the flag and disposes
// of the cell.
//
// That other reference may be released concurrently:
//
//      the reaction:    A  sets `overcounted`            B  loads `life`: is one reference left?
//      the release:     C  `life` changes from 2 to 1   D  loads the state: is `overcounted` set?
//
// All four are sequentially consistent, so B sees C or D sees A, or both. Then one of the two threads wins the exchange
// of `life`, and disposes of the cell. Neither has a reference by then, so either may find the cell freed and recycled:
// the generation in the life word differs then. A thread that takes a reference in between, from a weak one, becomes
// the last owner in their place.
extension CellRef {
  /// Publishes the outcome of a promise without reactions and waiters, while nothing is observed, and releases the
  /// caller's reference; `.retry` if it has a reaction or a waiter by now. The caller must have claimed the promise
  /// when its state was `old`, and others must have references.
  @inline(__always)
  func publishAndRelease(_ value: CellValue, _ outcome: Outcome, claimed old: UInt64, _ life: UInt64) -> Release {
    unsafe cell.pointee.value = value
    let settled = CellState.claimed | CellState.settled | CellState.Settled.overcounted | outcome.flag
    let (exchanged, _) = unsafe cell.pointee.state.weakCompareExchange(
      expected: old | CellState.claimed, desired: settled | (value.isOwning ? CellState.Settled.owning : 0),
      successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
    guard exchanged else { return .retry }
    if unsafe cell.pointee.life.load(ordering: .sequentiallyConsistent) & Life.referencesMask == 1 {
      disposeOfOvercounted(life)
    }
    return .released
  }

  /// Releases the second-to-last reference counted by the `life` of a promise, if the word equals `life`; otherwise
  /// reloads `life`.
  @inline(__always)
  func releaseLastButOne(_ life: inout UInt64) -> Release {
    let before = state
    if before.isOvercounted {
      // This is the last reference.
      guard exchange(&life, for: Life.dying(life)) == .replaced else { return .retry }
      dispose()
      return .released
    }
    guard exchange(&life, for: life &- 1) == .replaced else { return .retry }
    // A promise settled without the flag never gets it.
    if !before.isSettled { checkOvercounted(life) }
    return .released
  }

  @inline(never)
  private func checkOvercounted(_ generation: UInt64) {
    let state = unsafe CellState(cell.pointee.state.load(ordering: .sequentiallyConsistent))
    if state.isOvercounted { disposeOfOvercounted(generation) }
  }

  /// Releases a reference to a settled promise without the flag.
  @inline(never)
  func releaseCounted() {
    var life = acquiredLife
    if life & Life.holdersMask == 1 && disposeIfUnreachable(life, isPromise: true) { return }
    while life & Life.referencesMask != 1 {
      if exchange(&life, for: life &- 1) == .replaced { return }
    }
    release()
  }

  /// Disposes of the promise of this generation, whose last reference was released, unless the cell is already freed or
  /// another thread has a reference again.
  @inline(never)
  private func disposeOfOvercounted(_ generation: UInt64) {
    var life = acquiredLife
    while (life ^ generation) >> Life.kindShift == 0 && life & Life.referencesMask == 1 {
      if exchange(&life, for: Life.dying(life)) == .replaced { return dispose() }
    }
  }
}
