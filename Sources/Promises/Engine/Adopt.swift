import Synchronization

extension CellRef {
  /// Makes this promise, whose reaction has run, end as `promise` does. Takes over a reference to `promise`.
  @inline(never)
  func adopt(_ promise: CellRef) -> ReactionResult {
    defer { promise.release() }
    if !promise.state.isSettled {
      // A promise that nothing waits for closes no cycle, so a chain of promises that follow each other is not walked
      // anew for each.
      let closes = promise == self || (state.head != 0 && promise.waits(for: self))
      guard !closes else { return conclude(Fault.cycle.value, .rejected) }
      // Nobody has it, and nothing waits for it.
      if unsafe cell.pointee.life.load(ordering: .acquiring) & Life.holdersMask == 1 && state.head == 0 { return .idle }
      guard hold() else {
        awaitPublication()
        return .idle
      }
      watch()
      // The list gets the reaction's reference, and may lose it at once; this one is for the look behind.
      let isKept = retain()
      if becomeFollower(of: promise) {
        if isKept { lookBehind(promise) }
        return .moved
      }
      if isKept { release() }
    }
    return unsafe pass(promise.cell.pointee.value, promise.seenState.outcome)
  }

  /// How an attempt to make a promise follow another ended.
  package enum Following { case follows, isSettled, cycle, isTaken, outOfMemory }

  /// Makes this promise, which nothing but calls from outside were to settle, end as `source` does.
  package func follow(_ source: CellRef) -> Following {
    if source == self || (state.head != 0 && source.waits(for: self)) { return .cycle }
    guard hold() else {
      awaitPublication()
      return .isSettled
    }
    let state = self.state
    let isFree = reactionKind == .none && state.source == 0
    // A discard block stands where a reaction would: the promise is settled by a link instead, which has the interest.
    if isFree {
      unsafe cell.pointee.meta =
        isDiscardable(state)
        ? ReactionKind.none.rawValue | ReactionKind.discardable | Interest.none.rawValue << ReactionKind.typeShift
        : ReactionKind.follow.rawValue
    }
    guard isFree && !isDiscardable(state) else {
      letGo()
      return isFree ? followByLink(source) : .isTaken
    }
    watch()
    // For the list, and for the look behind.
    guard retain() else {
      letGo()
      return .outOfMemory
    }
    guard retain() else {
      letGo()
      release()
      return .outOfMemory
    }
    if becomeFollower(of: source) {
      lookBehind(source)
      return .follows
    }
    let value = source.value.retain() ? source.value : Fault.tooManyReferences.value
    _ = settle(value, source.seenState.outcome)
    release()
    release()
    return .follows
  }

  /// The same for a promise with a discard block.
  private func followByLink(_ source: CellRef) -> Following {
    // For the look behind.
    guard retain() else { return .outOfMemory }
    guard hold() else {
      release()
      awaitPublication()
      return .isSettled
    }
    letGo(waitingFor: source)
    guard chain(after: source, passesRequestsOn: true) else {
      setSource(0)
      release()
      return .outOfMemory
    }
    // As behind others, but its own handler of requests is in its list, and each of a chain would walk through it all.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if hasDependents { lookBehind(source) } else { release() }
    return .follows
  }

  /// Gives this promise, which is held, a source; false if that is settled. Lets it go: others may climb from it, and who
  /// settles it otherwise finds it in the list.
  private func becomeFollower(of promise: CellRef) -> Bool {
    let interest = reactionKind == .rescue ? 0 : unsafe cell.pointee.meta >> ReactionKind.typeShift & 3
    let kind = ReactionKind.follow.rawValue | interest << ReactionKind.typeShift
    unsafe cell.pointee.meta = kind
    unsafe cell.pointee.free = nil
    let isAttached = promise.attach(self)
    letGo(waitingFor: isAttached ? promise : nil)
    if isAttached && Observation.isOn { noteAttachment(to: promise) }
    return isAttached
  }

  /// Looks again, now that this promise follows `promise`. Another thread may have made that one follow this one since
  /// the first look; of the threads that close a cycle together, at least the one that attached last sees all of it. And
  /// this one may have been asked to cancel before it had somebody to pass that on to. Takes over a reference.
  private func lookBehind(_ promise: CellRef) {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let state = self.state
    if state.head != 0 && promise.waits(for: self) {
      // As if from outside: it is still in the other's list, so its own fields are not free to keep a loop's place in.
      _ = settle(Fault.cycle.value, .rejected)
    } else if !state.isSettled && state.bits & CellState.cancelRequested != 0 {
      passCancelRequestOn()
    }
    release()
  }

  /// Whether anything but handlers of requests waits for this promise.
  private var hasDependents: Bool {
    guard hold() else { return false }
    defer { letGo() }
    var next = state.head
    while next != 0, CellRef(index: next).reactionKind == .cancelHandler {
      next = unsafe CellRef(index: next).cell.pointee.next
    }
    return next != 0
  }

  /// Whether the settlement of this pending promise depends on `other`: it is the same, or the source of its source ...
  /// is.
  ///
  /// The chain of sources is read without holding it, so a cell on it may be freed and used anew meanwhile. Memory
  /// stays cells, so that is no more than a wrong answer, and it is asked for twice: a true cycle cannot go away, for
  /// each promise on it waits for the next.
  func waits(for other: CellRef) -> Bool {
    leads(to: other) && leads(to: other)
  }

  private func leads(to other: CellRef) -> Bool {
    var current = self
    // Cells used anew may lead in a circle. So it is compared with a cell that was passed, a later one each time the
    // way has doubled (Brent).
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
        steps = 0
        leg *= 2
      }
    }
  }
}
