import CPlatform
import Synchronization

// The state word of a promise
//
//   63         36 35         8 7      0
//   [ source     | head       | flags  ]
//
//   source  the index of the promise whose settlement will run this one's reaction; 0 if there is none. Not a
//           reference: retained() (Detach.swift) takes one if the source is pending and of the recorded generation.
//           Used to propagate requests, to detach, and to detect waits and adoptions that could never end.
//   head    the index of the newest reaction attached to this promise; the others follow through their `next`.
//
//                    claim()                publish(outcome)
//      [ pending ] ---------> [ claimed ] ------------------> [ settled ]
//        attach() pushes on      attach() pushes on              attach() refuses: the caller runs the
//        the list                the list                        reaction itself, at once
//
// claim() is won by exactly one settling call; the winner writes the value, then publishes. publish() takes the list
// with the same exchange that makes the outcome visible. So a reaction is either in the list that the settling call
// runs, or its attach() finds the promise settled; there is no third case. The list of a promise that is destroyed
// while pending is taken by the call that disposes of it.
//
// Between the publication and the submission of the last reaction with an executor, reactions with an executor are
// pushed on the list of the settled promise (SubmissionOrder.swift).
//
// hold() keeps a pending promise from being claimed, disposed of or given another source until unhold(). Threads hold a
// promise while they walk its reactions or proceed upstream to its source. No user code runs while a promise is held.
@usableFromInline
package struct CellState {
  package let bits: UInt64
  @inline(__always) init(_ bits: UInt64) { self.bits = bits }

  static var claimed: UInt64 { 1 }
  /// The outcome is visible. Never cleared.
  static var settled: UInt64 { 2 }
  /// A thread sleeps until this promise is settled (Wait.swift). Set by the waiter while the promise is pending.
  static var waited: UInt64 { 16 }

  /// The other flags of a pending promise.
  enum Pending {
    /// `value` holds the state of detaching (DetachState.swift).
    static var detaching: UInt64 { 4 }
    /// A reference to the promise does not count as interest in it.
    static var sealed: UInt64 { 8 }
    /// Settling takes the slow path: there is a discard block (Discard.swift) or a reaction with an executor
    /// (SubmissionOrder.swift). Set while unclaimed.
    static var slow: UInt64 { 32 }
    /// Cancellation of the promise was requested (CancelRequest.swift).
    static var cancelRequested: UInt64 { 64 }
    /// Between hold() and unhold().
    static var held: UInt64 { 128 }
  }

  /// The other flags of a settled promise.
  enum Settled {
    static var rejected: UInt64 { 4 }
    /// The value owns memory, which is released when the cell is disposed of.
    static var owning: UInt64 { 8 }
    /// A rejection that no one has handled. Set only while unhandled rejections are observed (Unhandled.swift).
    static var unseen: UInt64 { 32 }
    /// `life` counts one reference that was already released (PublishAndRelease.swift).
    static var overcounted: UInt64 { 64 }
    /// The settling thread has reactions with an executor to submit.
    static var submitting: UInt64 { 128 }
  }

  static var headShift: UInt64 { 8 }
  static var headMask: UInt64 { 0x0fff_ffff << 8 }
  static var sourceShift: UInt64 { 36 }
  static var sourceMask: UInt64 { 0x0fff_ffff << 36 }

  @inline(__always) package var isSettled: Bool { bits & CellState.settled != 0 }
  @inline(__always) package var isRejected: Bool { bits & CellState.Settled.rejected != 0 }
  /// The outcome of a settled promise.
  @inline(__always) var outcome: Outcome { Outcome(flag: bits & CellState.Settled.rejected) }
  @inline(__always) var isClaimed: Bool { bits & CellState.claimed != 0 }
  @inline(__always) var isWaited: Bool { bits & CellState.waited != 0 }
  var isCancelRequested: Bool {
    bits & (CellState.settled | CellState.Pending.cancelRequested) == CellState.Pending.cancelRequested
  }
  @inline(__always) var isOvercounted: Bool {
    bits & (CellState.settled | CellState.Settled.overcounted) == CellState.settled | CellState.Settled.overcounted
  }
  /// Whether the promise is settled and owns nothing but its cell: no reactions, no value to release, no discard block.
  @inline(__always) var isSettledAlone: Bool {
    bits & ~(CellState.Settled.rejected | CellState.Settled.overcounted) == CellState.claimed | CellState.settled
  }
  /// The references that the life word of a settled promise counts when one is left.
  @inline(__always) var countOfLast: UInt64 {
    1 + (bits & CellState.Settled.overcounted) / CellState.Settled.overcounted
  }
  @inline(__always) var isSlow: Bool {
    bits & (CellState.settled | CellState.Pending.slow) == CellState.Pending.slow
  }
  var isDetaching: Bool {
    bits & (CellState.settled | CellState.Pending.detaching) == CellState.Pending.detaching
  }
  var isSealed: Bool { bits & (CellState.settled | CellState.Pending.sealed) == CellState.Pending.sealed }
  /// Valid for a settled promise only.
  var isOwning: Bool { bits & CellState.Settled.owning != 0 }
  /// Valid for a settled promise only.
  var isSubmitting: Bool { bits & CellState.Settled.submitting != 0 }
  @inline(__always) var head: UInt32 { UInt32(truncatingIfNeeded: (bits & CellState.headMask) >> CellState.headShift) }
  @inline(__always) var source: UInt32 { UInt32(truncatingIfNeeded: bits >> CellState.sourceShift) }
  /// Valid for a pending promise: whether a thread without a reference may obtain one through its reactions, or did
  /// before they were detached.
  @inline(__always) var isReachable: Bool {
    bits & (CellState.headMask | CellState.Pending.held | CellState.Pending.detaching) != 0
  }
  /// Whether the cell owns nothing but its own memory: no reactions, no value to release, no discard block.
  @inline(__always) var ownsOnlyItsCell: Bool {
    bits & (CellState.headMask | CellState.Settled.owning | CellState.Pending.slow) == 0
  }
}

/// The outcome of a settled promise: fulfilled or rejected.
@usableFromInline
package struct Outcome {
  @usableFromInline let flag: UInt64
  @usableFromInline init(flag: UInt64) { self.flag = flag }
  @usableFromInline package static var fulfilled: Outcome { Outcome(flag: 0) }
  @usableFromInline package static var rejected: Outcome { Outcome(flag: CellState.Settled.rejected) }
  @inline(__always) package var isRejected: Bool { flag != 0 }
}

/// The result of claiming a promise.
enum Claim {
  /// This call was the first: the caller must publish an outcome.
  case won
  /// Another call was first, and may not have published its outcome yet.
  case lost
}

/// The result of holding a promise.
enum Hold {
  /// The caller must unhold() the promise.
  case held
  /// The promise is settled or being settled.
  case claimed
}

/// The result of attaching a reaction.
enum Attachment {
  /// The reaction is in the list.
  case attached
  /// The promise is settled: the caller must run the reaction.
  case settled
}

extension CellRef {
  @inline(__always)
  package var state: CellState { unsafe CellState(cell.pointee.state.load(ordering: .acquiring)) }

  /// Sets the state of a promise that no other thread can reach.
  @inline(__always)
  func startState(_ bits: UInt64 = 0) { unsafe cell.pointee.state.store(bits, ordering: .relaxed) }

  /// Sets or clears flags that publish nothing.
  func setFlags(_ flags: UInt64) { unsafe cell.pointee.state.bitwiseOr(flags, ordering: .relaxed) }
  func clearFlags(_ flags: UInt64) { unsafe cell.pointee.state.bitwiseAnd(~flags, ordering: .relaxed) }

  /// Records that a thread is about to sleep until the promise is settled. The settling thread sees the flag.
  func becomeWaited() { unsafe cell.pointee.state.bitwiseOr(CellState.waited, ordering: .acquiringAndReleasing) }

  /// Records a cancel request for the held promise. Returns the state from before, with the reactions that were
  /// attached while it was held.
  func becomeCancelRequested() -> CellState {
    unsafe CellState(cell.pointee.state.bitwiseOr(CellState.Pending.cancelRequested, ordering: .acquiring).oldValue)
  }

  /// Replaces the state if it equals `state`; otherwise reloads `state`.
  @inline(__always)
  func exchange(_ state: inout CellState, for desired: UInt64) -> Exchange {
    let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
      expected: state.bits, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
    guard !exchanged else { return .replaced }
    state = CellState(original)
    return .reloaded
  }

  /// The outcome. Call after an acquiring load has seen that the promise is settled.
  @inline(__always)
  var outcome: Outcome {
    unsafe Outcome(flag: cell.pointee.state.load(ordering: .relaxed) & CellState.Settled.rejected)
  }

  /// Claims the promise for this settling call.
  @inline(__always)
  func claim() -> Claim {
    let old = tryClaim()
    return old & (CellState.claimed | CellState.Pending.held) == 0 ? .won : claimed(old)
  }

  /// Claims the promise and returns the previous state; claimed() evaluates whether this call was the first.
  @inline(__always)
  func tryClaim() -> UInt64 {
    // Acquiring: the thread that held the promise before may have written to its value (Interest.swift).
    unsafe cell.pointee.state.bitwiseOr(CellState.claimed, ordering: .acquiring).oldValue
  }

  /// Whether a claim with this previous state needs no more than publish(). `others`: further bits that must be clear.
  @inline(__always)
  static func isPlainClaim(_ old: UInt64, of others: UInt64 = 0) -> Bool {
    old & (CellState.claimed | CellState.Pending.held | CellState.Pending.slow | others) == 0
  }

  /// The result of a claim with this previous state; returns once no thread holds the promise.
  @inline(never)
  func claimed(_ old: UInt64) -> Claim {
    guard old & CellState.claimed == 0 else { return .lost }
    if old & CellState.Pending.held != 0 { awaitUnhold() }
    return .won
  }

  /// Keeps the promise from changing, except for new reactions, until unhold(). The caller must have a reference, or
  /// know that the promise stays alive.
  func hold() -> Hold {
    var current = unsafe cell.pointee.state.load(ordering: .acquiring)
    while current & (CellState.claimed | CellState.settled) == 0 {
      if current & CellState.Pending.held != 0 {
        platform_yield()
        current = unsafe cell.pointee.state.load(ordering: .acquiring)
        continue
      }
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current | CellState.Pending.held, successOrdering: .acquiring,
        failureOrdering: .acquiring)
      if exchanged { return .held }
      current = original
    }
    return .claimed
  }

  /// Waits until no thread holds the promise. The caller must have made sure that it cannot be held again.
  func awaitUnhold() {
    while unsafe cell.pointee.state.load(ordering: .acquiring) & CellState.Pending.held != 0 { platform_yield() }
  }

  /// Ends a hold().
  func unhold() {
    unsafe cell.pointee.state.bitwiseAnd(~CellState.Pending.held, ordering: .releasing)
  }

  /// Ends a hold() and sets the source of the promise: another one, or none.
  func unhold(waitingFor source: CellRef?) {
    if let source { noteGeneration(of: source) }
    let index = UInt64(source?.index ?? 0) << CellState.sourceShift
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while true {
      let desired = current & ~(CellState.sourceMask | CellState.Pending.held) | index
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: desired, ordering: .releasing)
      if exchanged { return }
      current = original
    }
  }

  /// Claims the promise that the caller holds; also ends the hold.
  func claimHeld() -> Claim {
    let old = unsafe cell.pointee.state.bitwiseOr(CellState.claimed, ordering: .acquiring).oldValue
    unhold()
    return old & CellState.claimed == 0 ? .won : .lost
  }

  /// Makes the outcome visible and takes the list of reactions. The caller must have claimed the cell. `isPromise` is
  /// false for an unheld reaction, to which no reference exists outside. `flags` are added to the new state. Returns
  /// the previous state: the reactions, and whether a thread waits. A promise that may be `slow` needs
  /// publishInOrder().
  @inline(__always)
  func publish(
    _ value: CellValue, _ outcome: Outcome, isPromise: @autoclosure () -> Bool = true, flags: UInt64 = 0
  ) -> CellState {
    if outcome.isRejected && Observation.isOn { return publishRejection(value, isPromise: isPromise(), flags: flags) }
    unsafe cell.pointee.value = value
    let settled =
      CellState.claimed | CellState.settled | outcome.flag | (value.isOwning ? CellState.Settled.owning : 0) | flags
    return unsafe CellState(cell.pointee.state.exchange(settled, ordering: .acquiringAndReleasing))
  }

  /// Waits until the promise is settled. Used by calls that find it claimed: their result must hold when they return.
  /// The claiming thread only has to write the value, so the wait is short.
  @inline(never)
  func awaitPublication() {
    while !state.isSettled { platform_yield() }
  }

  /// Claims and publishes for a cell to which the caller has the only reference. Returns nil if it was settled before.
  @inline(__always)
  func settleUnshared(_ value: CellValue, _ outcome: Outcome) -> CellState? {
    var old = unsafe CellState(cell.pointee.state.load(ordering: .acquiring))
    guard !old.isClaimed else { return nil }
    if outcome.isRejected && Observation.isOn {
      return claim() == .won ? publishInOrder(value, outcome, isPromise: isPromise) : nil
    }
    let isOwning = value.isOwning
    if old.isReachable {
      // Other threads may reach the promise through its reactions, and a callback of theirs may settle it or attach
      // another.
      guard claim() == .won else { return nil }
      guard acquiredLife & Life.holdersMask == 1 else {
        return publishInOrder(value, outcome, isPromise: isPromise)
      }
      old = unsafe CellState(cell.pointee.state.load(ordering: .acquiring))
    }
    unsafe cell.pointee.value = value
    unsafe cell.pointee.state.store(
      CellState.claimed | CellState.settled | outcome.flag | (isOwning ? CellState.Settled.owning : 0),
      ordering: .releasing)
    return old
  }

  /// Pushes a reaction on the list, unless the promise is settled. The list takes ownership of the reaction's
  /// reference.
  @inline(__always)
  func attach(_ reaction: CellRef) -> Attachment { attach(reaction, index: reaction.wideIndex) }

  @inline(__always)
  func attach(_ reaction: CellRef, index: UInt64) -> Attachment {
    let index = index << CellState.headShift
    var current = unsafe cell.pointee.state.load(ordering: .acquiring)
    while current & CellState.settled == 0 {
      reaction.next = CellState(current).head
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current & ~CellState.headMask | index,
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return .attached }
      current = original
    }
    return .settled
  }

  /// Removes the record of the promise that this one's reaction waits for. Waits while the promise is held: the holder
  /// may be on its way upstream to the source, which therefore stays until this returns.
  func clearSource() {
    var current = unsafe cell.pointee.state.load(ordering: .relaxed)
    while current & CellState.settled == 0 {
      if current & CellState.Pending.held != 0 {
        platform_yield()
        current = unsafe cell.pointee.state.load(ordering: .relaxed)
        continue
      }
      let desired = current & ((1 << CellState.sourceShift) - 1)
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: desired, ordering: .acquiring)
      if exchanged { return }
      current = original
    }
  }
}
