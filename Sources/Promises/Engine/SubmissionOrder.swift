import CPlatform
import Synchronization

// The order of reactions with an executor
//
// Reactions with an executor are submitted in the order in which they were attached, also while one thread attaches and
// another settles. A reaction that finds the promise settled must not overtake those that the settling thread has yet
// to submit.
//
//      pending, slow  --publishInOrder()-->  submitting  --continueSubmitting()-->  settled
//      deliverInOrder() pushes on the        ... on the emptied list of the         ... submits, in the attaching
//      list and sets `slow`                  settled promise                        thread
//
// publishInOrder() marks the last of these reactions with its source. Once that one is submitted, the settling thread
// takes the reactions pushed since, marks the last of them, and continues with them. If none was pushed, the phase
// ends. So the phase costs nothing for promises without such reactions, and an attaching thread never waits for a busy
// callback or a slow executor. The phase has a reference to the promise, because a callback may release the last other
// one.
extension CellRef {
  /// Delivers as deliver() does, for a reaction whose job has an executor.
  @inline(never)
  func deliverInOrder(to reaction: CellRef, _ job: ReactionJob) {
    // A closure may leave its promise pending.
    reaction.mark(CallbackReaction.submitted | (job.hasClosure ? 0 : ReactionKind.kept))
    let index = UInt64(reaction.index) << CellState.headShift
    while true {
      var state = self.state
      if state.isSettled {
        guard state.isSubmitting && job.isSubmitted(value, state.outcome) else { return runAtOnce(reaction) }
        if state.isUnseen { see() }
      } else if state.isClaimed {
        // The claiming thread has already looked for reactions with an executor, and only has to write the value.
        awaitPublication()
        continue
      }
      reaction.next = state.head
      let flag = state.isSettled ? 0 : CellState.Pending.slow
      if exchange(&state, for: state.bits & ~CellState.headMask | index | flag) == .replaced { return }
    }
  }

  /// Publishes as publish() does, for a promise that may be `slow`. The caller must have claimed it.
  @inline(never)
  func publishInOrder(_ value: CellValue, _ outcome: Outcome, isPromise: Bool = true) -> CellState {
    let state = self.state
    var next = state.isSlow ? state.head : 0
    while next != 0, !CellRef(index: next).isSubmitted { next = CellRef(index: next).next }
    guard next != 0 else { return publish(value, outcome, isPromise: isPromise) }
    CellRef(index: next).job.lastOfSource = index
    // The limit of references is not checked: a promise enters this phase once, so the head room suffices.
    retainUnchecked()
    return publish(value, outcome, isPromise: isPromise, flags: CellState.Settled.submitting)
  }

  /// Continues after the submission of the last known reaction with an executor: reactions attached since then run next
  /// in this thread's loop.
  func continueSubmitting() {
    while true {
      var state = self.state
      guard state.isSubmitting else { return }
      let gone = state.head == 0 ? CellState.Settled.submitting : CellState.headMask
      guard exchange(&state, for: state.bits & ~gone) == .replaced else { continue }
      guard state.head != 0 else { return release() }
      CellRef(index: state.head).job.lastOfSource = index
      return Settlement.prepend(newest: state.head)
    }
  }

  /// Records in this reaction, which has propagated the outcome to `target`, that the loop is about to submit reactions
  /// of `target` (Wait.swift).
  func noteTarget(_ target: CellRef, _ before: CellState) {
    unsafe contextPointer = unsafe before.isSlow ? UnsafeMutableRawPointer(target.cell) : nil
    targetLife = target.lifeWord
  }

  /// The promise recorded by noteTarget(), if it still exists.
  var notedTarget: CellRef? {
    guard reactionKind == .link || reactionKind == .input, let pointer = unsafe contextPointer else {
      return nil
    }
    let target = unsafe CellRef.from(pointer)
    return (target.lifeWord ^ targetLife) >> Life.generationShift == 0 ? target : nil
  }

  /// Stored in place of `free`.
  private var targetLife: UInt64 {
    get { unsafe UnsafeRawPointer(cell).load(fromByteOffset: Cell.contextOffset + 8, as: UInt64.self) }
    nonmutating set {
      unsafe UnsafeMutableRawPointer(cell).storeBytes(
        of: newValue, toByteOffset: Cell.contextOffset + 8, as: UInt64.self)
    }
  }

  /// Whether this reaction's handlers run on an executor.
  private var isSubmitted: Bool {
    meta & (ReactionKind.mask | CallbackReaction.submitted) == ReactionKind.job.rawValue | CallbackReaction.submitted
  }
}

extension Settlement {
  /// Inserts reactions before the next ones of this thread's innermost loop.
  fileprivate static func prepend(newest: UInt32) {
    let here = unsafe platform_thread().pointee.activation.unsafelyUnwrapped.assumingMemoryBound(to: Activation.self)
    let list = reversed(newest)
    CellRef(index: newest).next = unsafe here.pointee.rest
    unsafe here.pointee.rest = list
    unsafe here.pointee.hasJoined = true
  }
}

// Used in a child of fork(), where a promise whose reactions another thread was to submit would stay in this phase
// forever.
extension Settlement {
  /// Puts the promises whose reactions this thread has to submit back into the phase.
  static func resumeSubmitting() {
    var activation = unsafe platform_thread().pointee.activation?.assumingMemoryBound(to: Activation.self)
    while let here = unsafe activation {
      if let running = unsafe here.pointee.running { running.resumeSubmitting() }
      resumeSubmitting(unsafe here.pointee.rest)
      var owner = unsafe here.pointee.owner
      while let held = owner {
        resumeSubmitting(held.next)
        owner = held.enclosingOwner
      }
      unsafe activation = unsafe here.pointee.enclosing
    }
  }

  private static func resumeSubmitting(_ list: UInt32) {
    for reaction in ReactionList(list) {
      reaction.resumeSubmitting()
    }
  }
}

extension CellRef {
  fileprivate func resumeSubmitting() {
    // The job of a reaction that is running may be freed already.
    guard isSubmitted, job.job.promiseIndex == index, job.lastOfSource != 0 else { return }
    CellRef(index: job.lastOfSource).setFlags(CellState.Settled.submitting)
  }
}
