import CPlatform
import Synchronization

/// The result of a call that settles a promise, in the numbers of `promise_status_t`: a C function ends in the call
/// that runs the reactions, and returns its result.
package struct SettleStatus: Equatable {
  package let rawValue: Int32
  package static var settled: SettleStatus { SettleStatus(rawValue: 0) }
  /// The promise was settled before.
  package static var refused: SettleStatus { SettleStatus(rawValue: -3) }
}

extension CellRef {
  /// Settles the promise, if it is pending, and runs its reactions and those of the promises derived from it, depth
  /// first, before it returns. Takes ownership of the value. `reports`: the program settles the promise. Then a second
  /// settlement is reported to the hook for those, and a derived promise does not handle a later rejection of its
  /// source (Unhandled.swift).
  @inline(__always)
  package func settle(_ value: CellValue, _ outcome: Outcome, reports: Bool = false) -> SettleStatus {
    let old = tryClaim()
    guard CellRef.isPlainClaim(old, of: CellState.sourceMask) else {
      return settleSlowly(old, value, outcome, reports: reports)
    }
    let before = publish(value, outcome)
    if before.isWaited || Observation.isOn { return settledObserved(before, value, outcome) }
    if before.head == 0 { return .settled }
    if value.isOwning { return runReactions(newest: before.head, toOwning: value, outcome, life: lifeWord) }
    return Settlement.run(of: self, life: lifeWord, newest: before.head, value, outcome)
  }

  /// Completes a settlement with a waiter or an observer.
  @inline(never)
  private func settledObserved(_ before: CellState, _ value: CellValue, _ outcome: Outcome) -> SettleStatus {
    // A trace function may release the last reference.
    let isKept = retain()
    if Observation.isOn { noteSettlement(outcome) }
    settled(before, value, outcome)
    if isKept { release() }
    return .settled
  }

  /// Completes settle() after a claim that was not plain. Detaches a derived promise from its source.
  @inline(never)
  private func settleSlowly(_ old: UInt64, _ value: CellValue, _ outcome: Outcome, reports: Bool) -> SettleStatus {
    guard claimed(old) == .won else {
      refused(value, outcome, reports: reports)
      return .refused
    }
    // The contexts that detaching frees may release the last reference to this promise.
    let isKept = retain()
    let source = claimedSource()
    let before = publishInOrder(value, outcome)
    if Observation.isOn { noteSettlement(outcome) }
    source?.detach(self, isTaken: !reports)
    settled(before, value, outcome)
    source?.releaseLeftSource()
    if isKept { release() }
    return .settled
  }

  #if !hasFeature(Embedded)
  /// settle() for a thread that must not run code of the program: reactions, observers and the report of a second
  /// settlement run in a closure that `elsewhere` gets. Waiters are woken here, so a settlement without the others
  /// needs no second thread. For a promise that is not derived, and whose discard block may be released here.
  @usableFromInline package func settle(
    _ value: CellValue, _ outcome: Outcome, elsewhere: (@escaping @Sendable () -> Void) -> Void
  ) {
    let isKept = retain()
    nonisolated(unsafe) let value = value
    nonisolated(unsafe) let outcome = outcome
    guard !Observation.isOn, claimed(tryClaim()) == .won else {
      return elsewhere {
        _ = unsafe self.settle(value, outcome, reports: true)
        if isKept { self.release() }
      }
    }
    let before = unsafe publishInOrder(value, outcome)
    if before.isWaited { wake() }
    if isDiscardable(before) { reactionContext.release() }
    guard before.head != 0 else { return isKept ? release() : () }
    let (life, newest) = (lifeWord, before.head)
    elsewhere {
      unsafe self.runReactions(newest: newest, value, outcome, life: life)
      if isKept { self.release() }
    }
  }
  #endif

  /// Refuses a settlement because the promise is settled already: releases the value.
  private func refused(_ value: CellValue, _ outcome: Outcome, reports: Bool) {
    awaitPublication()
    if reports { reportSecondSettlement(value, outcome) }
    value.release()
  }

  /// Completes a settlement with a waiter or a discard block: wakes the waiter, releases the block's context, runs the
  /// reactions.
  @inline(never)
  private func settled(_ before: CellState, _ value: CellValue, _ outcome: Outcome) {
    let life = lifeWord
    if before.isWaited { wake() }
    // A discard block's context may hold the last reference to the promise, and with it the value.
    let isDiscardable = isDiscardable(before)
    let retained = isDiscardable && value.isOwning && value.retain()
    if isDiscardable {
      let context = reactionContext
      Settlement.running(nil, of: self, rest: before.head) { context.release() }
    }
    if before.head != 0 { runReactions(newest: before.head, value, outcome, life: life) }
    if retained { value.release() }
  }

  /// Runs the reactions taken from this promise, which is settled with `value`. The caller's reference may be released
  /// while they run. If it may have been released before, pass the life word as of then.
  func runReactions(newest: UInt32, _ value: CellValue, _ outcome: Outcome, life: UInt64? = nil) {
    _ = runReactions(newest: newest, toOwning: value, outcome, life: life ?? lifeWord)
  }

  /// Runs the reactions, and keeps the value alive although they may release the promise. If the value has too many
  /// references for another one, some other owner outlives the run.
  @inline(never)
  private func runReactions(newest: UInt32, toOwning value: CellValue, _ outcome: Outcome, life: UInt64)
    -> SettleStatus
  {
    let retained = value.retain()
    _ = Settlement.run(of: self, life: life, newest: newest, value, outcome)
    if retained { value.release() }
    return .settled
  }
}

/// A thread's position in settling, kept on its stack, so that a wait that could never end is detected (Wait.swift).
@unsafe
struct Activation {
  var enclosing: UnsafeMutablePointer<Activation>?
  /// The promise whose settlement started this, and its life word then: a callback may release its last reference, and
  /// the cell may be recycled.
  let root: CellRef
  let life: UInt64
  /// The root's remaining reactions, if there is no owner; otherwise they are in the `next` of the outermost owner.
  var rest: UInt32 = 0
  /// The derived promise whose reactions run, if it is not the root. Its enclosing owners follow through `function`.
  var owner: CellRef?
  /// The promise whose handler runs.
  var running: CellRef?
  /// Whether the handler runs in a call of the user, such as one that attaches it to a settled promise, rather than in
  /// a settlement.
  var isCallers = false
  /// Whether reactions were inserted before `rest` since the loop last read it (SubmissionOrder.swift).
  var hasJoined = false
}

/// The loop that runs reactions: no recursion, however long the chain.
///
/// A promise that a handler settles has reactions of its own, and they run before the next ones of the current list. So
/// the loop keeps a stack of *owners*: promises some of whose reactions are still to run. Each owner's position in its
/// list, and the link to the enclosing owner, are stored in the owner's own fields, which are free because its reaction
/// has run. The loop drops an owner when it descends from the owner's last reaction, not when it returns. So a chain
/// needs one place on the stack, not one per link.
enum Settlement {
  /// Reverses a list: reactions were pushed newest first, and run in the order of attachment.
  @inline(__always)
  static func reversed(_ newest: UInt32) -> UInt32 {
    // A list of one is the usual case.
    guard newest != 0, unsafe CellRef(index: newest).cell.pointee.next != 0 else { return newest }
    var list: UInt32 = 0
    var next = newest
    while next != 0 {
      let reaction = CellRef(index: next)
      let rest = unsafe reaction.cell.pointee.next
      unsafe reaction.cell.pointee.next = list
      list = next
      next = rest
    }
    return list
  }

  /// Runs the reactions up to `newest` with the outcome of `root`.
  @inline(never)
  static func run(of root: CellRef, life: UInt64, newest: UInt32, _ value: CellValue, _ outcome: Outcome)
    -> SettleStatus
  {
    let thread = unsafe platform_thread()
    var activation = unsafe Activation(
      enclosing: thread.pointee.activation?.assumingMemoryBound(to: Activation.self), root: root,
      life: life, running: nil)
    var value = value
    unsafe _withUnprotectedUnsafeMutablePointer(to: &activation) { here in
      unsafe thread.pointee.activation = UnsafeMutableRawPointer(here)
      unsafe _withUnprotectedUnsafeMutablePointer(to: &value) { value in
        unsafe loop(here, reversed(newest), UnsafePointer(value), outcome)
      }
      unsafe thread.pointee.activation = unsafe UnsafeMutableRawPointer(here.pointee.enclosing)
    }
    return .settled
  }

  @inline(__always)
  private static func loop(
    _ here: UnsafeMutablePointer<Activation>, _ first: UInt32, _ rootValue: UnsafePointer<CellValue>,
    _ rootOutcome: Outcome
  ) {
    var list = first
    var value = unsafe rootValue
    var outcome = rootOutcome
    while true {
      let reaction = CellRef(index: list)
      list = unsafe reaction.cell.pointee.next
      unsafe here.pointee.running = reaction
      unsafe here.pointee.rest = list
      let result =
        unsafe Observation.isOn ? reaction.reactObserved(to: value, outcome) : reaction.react(to: value, outcome)
      switch result {
      case .moved:
        list = unsafe rest(here, list)
      case .idle, .settled(newest: 0):
        list = unsafe rest(here, list)
        unsafe here.pointee.running = nil
        reaction.release()
      case .settled(let newest):
        list = unsafe rest(here, list)
        unsafe here.pointee.running = nil
        if list == 0, let owner = unsafe here.pointee.owner {
          // The owner's last reaction: the promise takes the owner's place.
          unsafe reaction.cell.pointee.next = unsafe owner.cell.pointee.next
          reaction.enclosingOwner = owner.enclosingOwner
          // Before the release, which may run a destructor: a wait in the destructor walks the owners.
          unsafe here.pointee.owner = reaction
          owner.releaseCounted()
        } else {
          unsafe reaction.cell.pointee.next = list
          reaction.enclosingOwner = unsafe here.pointee.owner
          unsafe here.pointee.owner = reaction
        }
        list = reversed(newest)
        unsafe value = reaction.settledValue
        outcome = reaction.outcome
      }
      while list == 0 {
        guard let owner = unsafe here.pointee.owner else { return }
        list = unsafe owner.cell.pointee.next
        unsafe here.pointee.running = nil
        unsafe here.pointee.owner = owner.enclosingOwner
        owner.releaseCounted()
        if let enclosing = unsafe here.pointee.owner {
          unsafe value = enclosing.settledValue
          outcome = enclosing.outcome
        } else {
          unsafe value = rootValue
          outcome = rootOutcome
        }
      }
    }
  }

  /// Returns the remaining reactions. Usually none was added, and the next one is known without a load.
  @inline(__always)
  private static func rest(_ here: UnsafeMutablePointer<Activation>, _ list: UInt32) -> UInt32 {
    guard unsafe here.pointee.hasJoined else { return list }
    unsafe here.pointee.hasJoined = false
    return unsafe here.pointee.rest
  }
}

extension CellRef {
  /// The life word, of which only the generation is stable: used to check later whether the cell was recycled.
  @inline(__always)
  var lifeWord: UInt64 { unsafe platform_fixed_word(UnsafeRawPointer(cell) + Cell.lifeOffset) }

  /// The enclosing owner, in a loop that runs this promise's reactions.
  @inline(__always)
  var enclosingOwner: CellRef? {
    get {
      guard let function = unsafe cell.pointee.function else { return nil }
      return unsafe CellRef(function.assumingMemoryBound(to: Cell.self))
    }
    nonmutating set {
      unsafe cell.pointee.function = unsafe UnsafeMutableRawPointer(newValue?.cell)
    }
  }
}

extension Settlement {
  /// Runs user code outside the loop: a handler that settles `promise`, or a callback that precedes the reactions to
  /// `root`.
  @inline(__always)
  static func running<Result>(
    _ promise: CellRef?, of root: CellRef, rest: UInt32 = 0, isCallers: Bool = false, _ body: () -> Result
  ) -> Result {
    let thread = unsafe platform_thread()
    var activation = unsafe Activation(
      enclosing: thread.pointee.activation?.assumingMemoryBound(to: Activation.self), root: root,
      life: root.lifeWord, rest: rest, running: promise, isCallers: isCallers)
    return unsafe withUnsafeMutablePointer(to: &activation) { here in
      unsafe thread.pointee.activation = UnsafeMutableRawPointer(here)
      defer { unsafe thread.pointee.activation = unsafe UnsafeMutableRawPointer(here.pointee.enclosing) }
      return body()
    }
  }
}

extension CellRef {
  /// Runs the reactions of this promise after its own reaction returned `result`, and releases that reaction's
  /// reference.
  func settleDownstream(_ result: ReactionResult) {
    switch result {
    case .idle, .settled(newest: 0): release()
    case .moved: break
    case .settled(let newest):
      unsafe runReactions(newest: newest, cell.pointee.value, outcome)
      release()
    }
  }
}
