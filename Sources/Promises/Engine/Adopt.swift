import Synchronization

extension CellRef {
  /// Makes this promise, whose reaction has run, follow `promise`. Takes ownership of a reference to `promise`.
  @inline(never)
  func adopt(_ promise: CellRef) -> ReactionResult {
    defer { promise.release() }
    if !promise.state.isSettled {
      let closes = promise == self || closesCycle(with: promise)
      guard !closes else { return conclude(Fault.cycle.value, .rejected) }
      // No reference but the reaction's, and no dependents: nothing can observe the outcome.
      if acquiredLife & Life.holdersMask == 1 && state.head == 0 { return .idle }
      // Before this promise follows `promise`: if the request settles `promise`, this one is settled below, without
      // recursion.
      if state.isCancelRequested { propagateCancelRequest(to: promise) }
      guard hold() == .held else {
        awaitPublication()
        return .idle
      }
      watch()
      // The list gets the reaction's reference and may release it at once; this one is for lookBehind().
      let isKept = retain()
      if becomeFollower(of: promise) == .attached {
        if isKept { lookBehind(promise) }
        return .moved
      }
      if isKept { release() }
    }
    return pass(promise.value, promise.seenState.outcome)
  }

  /// The result of an attempt to make a promise follow another.
  package enum Following { case follows, isSettled, cycle, isTaken, outOfMemory }

  /// Makes this promise follow `source`; `.isTaken` if it has a reaction, a source or a settler already.
  package func follow(_ source: CellRef) -> Following {
    if source == self || closesCycle(with: source) { return .cycle }
    guard hold() == .held else {
      awaitPublication()
      return .isSettled
    }
    let state = self.state
    let isFree = reactionKind == .none && state.source == 0 && meta & ReactionKind.kept == 0
    guard isFree else {
      unhold()
      return .isTaken
    }
    // A reference for lookBehind().
    guard retain() else {
      unhold()
      return .outOfMemory
    }
    if isDiscardable(state) { return followByLink(source) }
    // A reference for the list.
    guard retain() else {
      unhold()
      release()
      return .outOfMemory
    }
    watch()
    if becomeFollower(of: source) == .attached {
      lookBehind(source)
      return .follows
    }
    let value = source.value.retain() ? source.value : Fault.tooManyReferences.value
    _ = settle(value, source.seenState.outcome)
    release()
    release()
    return .follows
  }

  /// Implements follow() for a held promise with a discard block. The block occupies the fields of a reaction: a link
  /// settles the promise instead, and carries the interest. Takes ownership of a reference.
  private func followByLink(_ source: CellRef) -> Following {
    meta = ReactionKind.none.rawValue | DiscardBlock.exists | Interest.none.rawValue << ReactionKind.typeShift
    unhold(waitingFor: source)
    guard chain(after: source, propagatesRequests: true) else {
      clearSource()
      release()
      return .outOfMemory
    }
    // chain() has put a cancel-request handler in the list, so a non-empty list does not imply dependents.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if hasDependents { lookBehind(source) } else { release() }
    return .follows
  }

  /// Attaches this promise, which is held, to its new source, and ends the hold. From then on other threads may proceed
  /// upstream from this promise, and a thread that settles it from outside finds it in the source's list.
  private func becomeFollower(of promise: CellRef) -> Attachment {
    let interest = reactionKind == .rescue ? 0 : reactionType & 3
    let kind = ReactionKind.follow.rawValue | interest << ReactionKind.typeShift
    meta = kind
    unsafe contextFree = nil
    let attachment = promise.attach(self)
    let isAttached = attachment == .attached
    unhold(waitingFor: isAttached ? promise : nil)
    if isAttached && Observation.isOn { noteAttachment(to: promise) }
    if isAttached { promise.noteReader() }
    return attachment
  }

  /// Checks again, now that this promise follows `promise`. Another thread may have made `promise` follow this one
  /// since the first check; of the threads that close a cycle together, at least the last one to attach sees all of it.
  /// Cancellation may also have been requested before there was a source to propagate the request to. Takes ownership
  /// of a reference.
  private func lookBehind(_ promise: CellRef) {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let state = self.state
    if closesCycle(with: promise) {
      // Settles as a call from outside would: the cell is still in the list of `promise`, so the settlement loop
      // (Settle.swift) cannot use its fields.
      _ = settle(Fault.cycle.value, .rejected)
    } else if state.isCancelRequested {
      propagateCancelRequest()
    }
    release()
  }

  /// Whether anything but cancel-request handlers waits for this promise.
  private var hasDependents: Bool {
    guard hold() == .held else { return false }
    defer { unhold() }
    var next = state.head
    while next != 0, CellRef(index: next).reactionKind == .cancelHandler {
      next = CellRef(index: next).next
    }
    return next != 0
  }

  /// Whether `source` waits for this promise, so that this one must not follow it.
  private func closesCycle(with source: CellRef) -> Bool {
    state.head != 0 && mayLead(to: source) && source.waits(for: self)
  }

  /// Whether `source` can be downstream of this promise, as far as a few reactions show: false if they are those of
  /// other promises that have no reactions. Without this check, chains whose promises follow each other would be walked
  /// for each new link.
  private func mayLead(to source: CellRef) -> Bool {
    guard hold() == .held else { return false }
    defer { unhold() }
    var rest = 16
    for reaction in ReactionList(state.head) {
      switch reaction.reactionKind {
      case .cancelHandler, .observe, .input, .detached: break
      case .link: return true
      default: if reaction == source || reaction.state.head != 0 { return true }
      }
      rest -= 1
      if rest == 0 { return true }
    }
    return false
  }

  /// Whether the settlement of this pending promise depends on `other`: `other` is this promise, or is upstream of it.
  ///
  /// The chain of sources is read without holding it, so a cell on it may be freed and recycled meanwhile. The memory
  /// always holds cells, so the worst result is a wrong answer, and the chain is walked twice: a true cycle cannot
  /// disappear, because each promise on it waits for the next.
  func waits(for other: CellRef) -> Bool {
    leads(to: other) && leads(to: other)
  }

  private func leads(to other: CellRef) -> Bool {
    var current = self
    // Recycled cells may form a circle. Brent's algorithm detects it: compare with a remembered cell, and remember a
    // later one each time the number of steps has doubled.
    var passed = self
    var steps = 0
    var leg = 1
    while true {
      if current == other { return true }
      let state = current.state
      guard !state.isSettled, state.source != 0 else { return false }
      current = CellRef(index: state.source)
      if current == passed { return false }
      steps += 1
      if steps == leg {
        passed = current
        leg *= 2
      }
    }
  }
}
