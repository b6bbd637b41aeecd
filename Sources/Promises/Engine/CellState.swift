import CPlatform
import Synchronization

// The state word of a promise
//
//   63         36 35         8 7      0
//   [ source     | head       | flags  ]
//
//   source  the index of the promise whose settlement will run this one's reaction; 0 if there is none. Only a
//           hint, for finding waits and adoptions that could never end.
//   head    the index of the newest reaction attached to this promise; the others follow through their `next`.
//
//                    claim()                publish(outcome)
//      [ pending ] ---------> [ claimed ] ------------------> [ settled ]
//        attach() pushes on      attach() pushes on              attach() refuses: the caller runs the
//        the list                the list                        reaction itself, at once
//
// claim() is won by exactly one settling call; the winner writes the value, then publishes. publish() takes the list
// with the same exchange that makes the outcome visible, so a reaction is either in the list that the settling call
// runs or finds the promise settled; there is no third case. A promise that dies pending has its list taken by the call
// that disposes of it.
//
// Between the publication and the submission of the last reaction with an executor, such reactions are pushed on the list
// of the settled promise (SubmissionOrder.swift).
//
// hold() keeps a pending promise from being claimed, disposed of or given another source until letGo(), for as long as
// somebody looks through its reactions or climbs to its source. No user's code runs meanwhile.
@usableFromInline
package struct CellState {
  package let bits: UInt64
  @inline(__always) init(_ bits: UInt64) { self.bits = bits }

  static var claimed: UInt64 { 1 }
  /// The outcome is visible. Never cleared, as are the two below.
  static var settled: UInt64 { 2 }
  static var rejected: UInt64 { 4 }
  /// The value owns memory: whoever disposes of the cell releases it.
  static var owning: UInt64 { 8 }
  /// While pending, in place of `rejected`: `value` holds the tally of the reactions (Tally.swift).
  static var tallied: UInt64 { 4 }
  /// While pending, in place of `owning`: holding the promise is no interest in it.
  static var sealed: UInt64 { 8 }
  /// A thread sleeps until this promise is settled (Wait.swift). Set by waiting threads while pending.
  static var waited: UInt64 { 16 }
  /// Settling takes the slow path: there is a discard block (Discard.swift) or a reaction with an executor
  /// (SubmissionOrder.swift). Set while unclaimed.
  static var slow: UInt64 { 32 }
  /// The promise was asked to cancel (CancelRequest.swift). Set while pending.
  static var cancelRequested: UInt64 { 64 }
  /// Once settled, in place of `cancelRequested`: `life` counts one reference that was given back (GivingBack.swift).
  static var givenBack: UInt64 { 64 }
  /// Between hold() and letGo().
  static var held: UInt64 { 128 }
  /// Once settled, in place of `held`: the settling thread has reactions with an executor to submit.
  static var submitting: UInt64 { 128 }

  static var headShift: UInt64 { 8 }
  static var headMask: UInt64 { 0x0fff_ffff << 8 }
  static var sourceShift: UInt64 { 36 }
  static var sourceMask: UInt64 { 0x0fff_ffff << 36 }

  @inline(__always) package var isSettled: Bool { bits & CellState.settled != 0 }
  @inline(__always) package var isRejected: Bool { bits & CellState.rejected != 0 }
  /// Of a settled promise.
  @inline(__always) var outcome: Outcome { Outcome(flag: bits & CellState.rejected) }
  @inline(__always) var isClaimed: Bool { bits & CellState.claimed != 0 }
  @inline(__always) var isWaited: Bool { bits & CellState.waited != 0 }
  var isCancelRequested: Bool { bits & (CellState.settled | CellState.cancelRequested) == CellState.cancelRequested }
  @inline(__always) var isGivenBack: Bool {
    bits & (CellState.settled | CellState.givenBack) == CellState.settled | CellState.givenBack
  }
  @inline(__always) var isSlow: Bool { bits & CellState.slow != 0 }
  /// Of a settled promise.
  var isSubmitting: Bool { bits & CellState.submitting != 0 }
  @inline(__always) var head: UInt32 { UInt32(truncatingIfNeeded: (bits & CellState.headMask) >> CellState.headShift) }
  @inline(__always) var source: UInt32 { UInt32(truncatingIfNeeded: bits >> CellState.sourceShift) }
  /// Of a pending promise: whether somebody without a reference may get one by way of its reactions, or did before they
  /// were detached.
  @inline(__always) var isReachable: Bool {
    bits & (CellState.headMask | CellState.held | CellState.tallied) != 0
  }
  /// Whether anything but its own memory hangs on the cell: reactions, a value to release, a discard block.
  @inline(__always) var isBare: Bool {
    bits & (CellState.headMask | CellState.owning | CellState.slow) == 0
  }
}

/// How a promise ended.
@usableFromInline
package struct Outcome {
  @usableFromInline let flag: UInt64
  @usableFromInline init(flag: UInt64) { self.flag = flag }
  package static var fulfilled: Outcome { Outcome(flag: 0) }
  package static var rejected: Outcome { Outcome(flag: CellState.rejected) }
  @inline(__always) package var isRejected: Bool { flag != 0 }
}

extension CellRef {
  @inline(__always)
  package var state: CellState { unsafe CellState(cell.pointee.state.load(ordering: .acquiring)) }

  @inline(__always)
  var outcome: Outcome { unsafe Outcome(flag: cell.pointee.state.load(ordering: .relaxed) & CellState.rejected) }

  /// Becomes the one call that settles the promise; false if another was first.
  @inline(__always)
  func claim() -> Bool {
    let old = tryClaim()
    return old & (CellState.claimed | CellState.held) == 0 || claimed(old)
  }

  /// Claims the promise; returns the state before, from which claimed() tells whether this call was the first.
  @inline(__always)
  func tryClaim() -> UInt64 {
    // Acquiring, for whoever held the promise before may have used its value (Interest.swift).
    unsafe cell.pointee.state.bitwiseOr(CellState.claimed, ordering: .acquiring).oldValue
  }

  /// The state before a claim that needs no more than publish(): it has none of these bits either.
  @inline(__always)
  static func isPlainClaim(_ old: UInt64, of others: UInt64 = 0) -> Bool {
    old & (CellState.claimed | CellState.held | CellState.slow | others) == 0
  }

  /// Whether a claim was the first; returns when nobody holds the promise.
  @inline(never)
  func claimed(_ old: UInt64) -> Bool {
    guard old & CellState.claimed == 0 else { return false }
    if old & CellState.held != 0 { awaitLetGo() }
    return true
  }

  /// Keeps the promise as it is, but for new reactions, until letGo(); false if it is settled, or is being. The caller
  /// has a reference or knows that the promise stays.
  func hold() -> Bool {
    var current = unsafe cell.pointee.state.load(ordering: .acquiring)
    while current & (CellState.claimed | CellState.settled) == 0 {
      if current & CellState.held != 0 {
        platform_yield()
        current = unsafe cell.pointee.state.load(ordering: .acquiring)
        continue
      }
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current | CellState.held, successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged { return true }
      current = original
    }
    return false
  }

  /// Returns when nobody holds the promise. For calls that have seen to it that nobody will again.
  func awaitLetGo() {
    while unsafe cell.pointee.state.load(ordering: .acquiring) & CellState.held != 0 { platform_yield() }
  }

  /// Ends what hold() began.
  func letGo() {
    unsafe cell.pointee.state.bitwiseAnd(~CellState.held, ordering: .releasing)
  }

  /// Lets go of a promise that has got another source, or none.
  func letGo(waitingFor source: CellRef?) {
    if let source { noteGeneration(of: source) }
    let index = UInt64(source?.index ?? 0) << CellState.sourceShift
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while true {
      let desired = current & ~(CellState.sourceMask | CellState.held) | index
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: desired, ordering: .releasing)
      if exchanged { return }
      current = original
    }
  }

  /// Claims the promise that the caller holds, in place of letting it go.
  func claimHeld() -> Bool {
    let old = unsafe cell.pointee.state.bitwiseOr(CellState.claimed, ordering: .acquiring).oldValue
    letGo()
    return old & CellState.claimed == 0
  }

  /// Makes the outcome visible, and takes the reactions. The caller has claimed the cell, and knows whether it is a
  /// promise, or a reaction that nobody holds.
  /// Returns the state before: the reactions, and whether somebody waits. `flags` are added to the state after. Not for
  /// promises that may be `slow`: publishInOrder() is.
  @inline(__always)
  func publish(
    _ value: CellValue, _ outcome: Outcome, isPromise: @autoclosure () -> Bool = true, flags: UInt64 = 0
  ) -> CellState {
    unsafe cell.pointee.value = value
    if outcome.isRejected && Observation.isOn { return publishRejection(value, isPromise: isPromise(), flags: flags) }
    let settled = CellState.claimed | CellState.settled | outcome.flag | (value.isOwning ? CellState.owning : 0) | flags
    return unsafe CellState(cell.pointee.state.exchange(settled, ordering: .acquiringAndReleasing))
  }

  /// Returns when the promise is settled. For calls that find it claimed: what they tell their caller, or leave to it,
  /// must hold when they return, and the claimer has no more to do than write the value.
  @inline(never)
  func awaitPublication() {
    while !state.isSettled { platform_yield() }
  }

  /// claim() and publish() of a cell to which the caller has the only reference. Returns nil if it was settled earlier.
  @inline(__always)
  func settleUnshared(_ value: CellValue, _ outcome: Outcome) -> CellState? {
    var old = unsafe CellState(cell.pointee.state.load(ordering: .acquiring))
    guard !old.isClaimed else { return nil }
    if outcome.isRejected && Observation.isOn {
      return claim() ? publishInOrder(value, outcome, isPromise: isPromise) : nil
    }
    let isOwning = value.isOwning
    if old.isReachable {
      // By way of its reactions others may climb to it, and what they call may settle it or attach another.
      guard claim() else { return nil }
      guard unsafe cell.pointee.life.load(ordering: .acquiring) & Life.holdersMask == 1 else {
        return publishInOrder(value, outcome, isPromise: isPromise)
      }
      old = unsafe CellState(cell.pointee.state.load(ordering: .acquiring))
    }
    unsafe cell.pointee.value = value
    unsafe cell.pointee.state.store(
      CellState.claimed | CellState.settled | outcome.flag | (isOwning ? CellState.owning : 0), ordering: .releasing)
    return old
  }

  /// Pushes a reaction on the list; false if the promise is settled already. The list holds the reaction's reference.
  @inline(__always)
  func attach(_ reaction: CellRef) -> Bool {
    let index = UInt64(reaction.index) << CellState.headShift
    var current = unsafe cell.pointee.state.load(ordering: .acquiring)
    while current & CellState.settled == 0 {
      unsafe reaction.cell.pointee.next = CellState(current).head
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current & ~CellState.headMask | index,
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return true }
      current = original
    }
    return false
  }

  /// Notes which promise this one's reaction waits for. Whoever holds it climbs to the one noted, so that one stays
  /// until this returns.
  func setSource(_ source: UInt32) {
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while current & CellState.settled == 0 {
      if current & CellState.held != 0 {
        platform_yield()
        current = unsafe cell.pointee.state.load(ordering: .relaxed)
        continue
      }
      let desired = current & ((1 << CellState.sourceShift) - 1) | UInt64(source) << CellState.sourceShift
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: desired, ordering: .acquiring)
      if exchanged { return }
      current = original
    }
  }
}
