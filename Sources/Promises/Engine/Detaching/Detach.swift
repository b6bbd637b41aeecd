import CPlatform
import Synchronization

// A reaction is detached when the promise it would settle has been settled by another call, or is unwanted
// (Abandon.swift). Its context is released at once; its cell stays in the list of its source until the list is trimmed
// or swept (DetachState.swift).
//
// The source is held during the detach, so it is pending, and none of its reactions runs: each context is released
// either by the thread that runs the reaction or by the one that detaches it. A promise records the generation of its
// source, so that a recycled cell is not mistaken for it.
extension CellRef {
  /// Detaches a reaction to this promise. A no-op if the promise is settled or being settled: then the reaction runs,
  /// or has run. With `isTaken`, a rejection of this promise counts as handled from now on.
  func detach(_ reaction: CellRef, isTaken: Bool) {
    guard hold() == .held else { return }
    guard reaction.isDetachable else { return unhold() }
    let rest = Detached(reaction)
    let isPromise = reaction.isPromise
    let detached = ReactionKind.detached.rawValue | Interest.none.rawValue << ReactionKind.typeShift
    // Lets a release find that the last reference is that of the list (SettlerReference.swift).
    if isPromise { reaction.watch() }
    // A cancel request for the reaction's promise may read `meta` concurrently.
    unsafe platform_store_shared(reaction.metaAddress, detached | (isPromise ? 0 : ReactionKind.unheld))
    var removed: UInt32 = 0
    var detachState = self.detachState
    if isTaken { detachState.isTaken = true }
    let isFull = detachState.add(reaction.index)
    _ = trim(&detachState, past: 4, removed: &removed)
    if isFull { sweep(&detachState, removed: &removed) }
    self.detachState = detachState
    unhold()
    if !isPromise { reaction.clearSource() }
    rest.release()
    CellRef.releaseRemoved(removed)
  }

  /// Clears the mark of a detached reaction, before its list releases it.
  func leaveList() {
    if meta & ReactionKind.unheld == 0 { unsafe platform_store_shared(metaAddress, ReactionKind.none.rawValue) }
  }

  /// Whether this kind of reaction can be detached. A closure of the Swift layer runs regardless of its promise's state
  /// (reading S-37); an observer settles nothing. Call with the source held.
  private var isDetachable: Bool {
    switch reactionKind {
    case .then, .rescue, .finally, .follow, .link, .input, .completion, .delay: true
    case .closure: isOwn
    case .job: isOwn || !job.hasClosure
    default: false
    }
  }

  /// The source of this promise, which the caller has claimed, with a reference for the caller.
  func claimedSource() -> CellRef? {
    let index = state.source
    return index == 0 ? nil : retained(index)
  }

  /// The source with this recorded index, if it is pending and not being settled. This promise is held, or claimed by
  /// the caller.
  ///
  /// Taking the reference and checking the state is one atomic step: the last reference to a settled promise may be
  /// released by a plain store (disposeIfUnreachable), which only another reference prevents.
  func retained(_ source: UInt32) -> CellRef? {
    let generation = value.bits >> 32
    let source = CellRef(index: source)
    while true {
      let state = source.state
      let life = source.life
      guard !state.isClaimed, !state.isSettled, life >> 32 == generation,
        life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift,
        1..<Life.referenceLimit ~= life & Life.referencesMask
      else { return nil }
      if unsafe platform_exchange_second(source.cell, state.bits, life, life &+ 1) { return source }
    }
  }

  /// Records the upper half of the source's life word, with its generation, in the upper half of the bits of `value`:
  /// `retained()` compares it, so a recycled cell is not taken for the source.
  @inline(__always)
  func noteGeneration(of source: CellRef) {
    let life = unsafe platform_fixed_upper_half(UnsafeRawPointer(source.cell) + Cell.lifeOffset)
    unsafe UnsafeMutableRawPointer(cell).storeBytes(of: life, toByteOffset: Cell.valueOffset + 12, as: UInt32.self)
  }
}

/// The contents of a detached reaction, to release.
private enum Detached {
  case nothing
  /// The reaction whose context is released. The caller has a reference to it.
  case context(CellRef)
  /// The reaction with the closure, whose caller has a reference.
  case closure(CellRef)
  /// The reaction with the job. The caller has a reference to it.
  case job(CellRef)
  /// The promise that a link settles, or the gather of an input.
  case cell(CellRef)
  /// The reaction that delivers an event to a queue.
  case completion(CellRef)

  init(_ reaction: CellRef) {
    switch reaction.reactionKind {
    case .follow: self = .nothing
    case .closure: self = .closure(reaction)
    case .link, .input: self = .cell(reaction.contextCell)
    case .completion: self = .completion(reaction)
    case .job: self = .job(reaction)
    default: self = .context(reaction)
    }
  }

  func release() {
    switch self {
    case .nothing: break
    case .context(let reaction): reaction.releaseContextInTurn()
    case .closure(let reaction): unsafe reaction.closure.deinitialize(count: 1)
    case .job(let reaction): reaction.abandonJobInTurn()
    case .cell(let cell): cell.release()
    case .completion(let reaction): reaction.dropCompletion()
    }
  }
}
