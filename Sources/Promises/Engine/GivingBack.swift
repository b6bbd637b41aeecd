import CPlatform
import Synchronization

// A reaction that settles its promise, for whose outcome nothing waits, gives its reference back by what makes the outcome
// visible: the flag `givenBack` says that `life` counts one reference too many from then on. So it takes one atomic
// operation, not two. The call that releases the last other reference sees the flag, and disposes of the cell.
//
// That other reference may go at the same time:
//
//      the reaction:    A  `givenBack` is set           B  looks whether `life` counts one reference
//      the release:     C  `life` goes from 2 to 1      D  looks whether `givenBack` is set
//
// All four are sequentially consistent, so B sees C or D sees A, or both; then one of them wins the word `life`, and
// disposes of the cell. Neither has a reference by then, so either may find the cell freed, and in use again: the life
// word tells, for its generation is another's. Whoever takes a reference in between, by a weak one, is last in their place.
extension CellRef {
  /// publish() of a promise without reactions, which gives the caller's reference back too; false if there are some, or
  /// somebody waits or looks on. The caller has claimed the promise, which was so before, and others have references.
  @inline(__always)
  func publishGivingBack(_ value: CellValue, _ outcome: Outcome, claimed old: CellState, _ life: UInt64) -> Bool {
    guard old.bits & (CellState.headMask | CellState.waited) == 0, !Observation.isOn else {
      // Its newest reaction comes next.
      unsafe platform_prefetch(CellRef(index: old.head).cell)
      return false
    }
    unsafe cell.pointee.value = value
    let settled = CellState.claimed | CellState.settled | CellState.givenBack | outcome.flag
    let (exchanged, _) = unsafe cell.pointee.state.weakCompareExchange(
      expected: old.bits | CellState.claimed, desired: settled | (value.isOwning ? CellState.owning : 0),
      successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
    guard exchanged else { return false }
    if unsafe cell.pointee.life.load(ordering: .sequentiallyConsistent) & Life.referencesMask == 1 {
      disposeOfGivenBack(life)
    }
    return true
  }

  /// Gives back the last but one of the references that the `life` of a promise counts, if it is as it was observed;
  /// otherwise observes it anew.
  @inline(__always)
  func releaseLastButOne(_ life: inout UInt64) -> Bool {
    let before = state
    if before.isGivenBack {
      // It is the last one.
      guard exchange(&life, for: Life.dying(life)) else { return false }
      dispose()
      return true
    }
    guard exchange(&life, for: life &- 1) else { return false }
    // What was settled without the flag never gets it.
    if !before.isSettled { lookForGivenBack(life) }
    return true
  }

  @inline(never)
  private func lookForGivenBack(_ generation: UInt64) {
    let state = unsafe CellState(cell.pointee.state.load(ordering: .sequentiallyConsistent))
    if state.isGivenBack { disposeOfGivenBack(generation) }
  }

  /// release() of a settled promise without the flag.
  @inline(never)
  func releaseCounted() {
    var life = unsafe cell.pointee.life.load(ordering: .acquiring)
    if life & Life.holdersMask == 1 && lastReferenceGone(life, isPromise: true) { return }
    while life & Life.referencesMask != 1 {
      if exchange(&life, for: life &- 1) { return }
    }
    release()
  }

  /// Disposes of the promise that had this generation, whose last reference is given back: unless it is gone, or somebody
  /// has a reference again.
  @inline(never)
  private func disposeOfGivenBack(_ generation: UInt64) {
    var life = unsafe cell.pointee.life.load(ordering: .acquiring)
    while (life ^ generation) >> Life.kindShift == 0 && life & Life.referencesMask == 1 {
      if exchange(&life, for: Life.dying(life)) { return dispose() }
    }
  }
}
