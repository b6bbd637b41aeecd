import CPlatform
import Synchronization

// A reaction is detached when what it would settle has been settled by another, or nobody is to hear of it (Abandon.swift).
// It gives up its context at once; its cell stays in the list of its source until the list is tidied (Tally.swift).
//
// The source is held meanwhile, so it is pending, and no reaction of its runs: each context is freed by who runs the
// reaction or by who detaches it. A promise notes the generation of its source, so that what has gone is not mistaken
// for it.
extension CellRef {
  /// Detaches a reaction to this promise, unless the promise is settled or is being: then the reaction runs, or ran.
  func detach(_ reaction: CellRef) {
    guard hold() else { return }
    guard reaction.isDetachable else { return letGo() }
    let rest = Detached(reaction)
    let isPromise = reaction.isPromise
    unsafe reaction.cell.pointee.meta =
      ReactionKind.detached.rawValue | Interest.none.rawValue << ReactionKind.typeShift
      | (isPromise ? 0 : ReactionKind.unheld)
    var removed: UInt32 = 0
    var tally = self.tally
    let isFull = tally.add(reaction.index)
    _ = trim(&tally, past: 4, removed: &removed)
    if isFull { sweep(&tally, removed: &removed) }
    self.tally = tally
    letGo()
    if !isPromise { reaction.setSource(0) }
    rest.release()
    CellRef.releaseRemoved(removed)
  }

  /// Whether this reaction is one that can be detached. A closure of the Swift layer runs whatever became of its promise
  /// (reading S-37), an observer settles nothing. Its source is held.
  private var isDetachable: Bool {
    switch reactionKind {
    case .then, .rescue, .finally, .follow, .link, .input, .completion: true
    case .job: !job.hasClosure
    default: false
    }
  }

  /// The promise that this one, which the caller has claimed, waits for, with a reference for the caller.
  func claimedSource() -> CellRef? {
    let index = state.source
    return index == 0 ? nil : retained(index)
  }

  /// The source that is noted at this index, if it is pending and nobody is settling it. This promise is held, or claimed
  /// by the caller.
  ///
  /// The reference is taken in one step with a look at the state: the last reference to a settled promise may be given
  /// back by a plain store (lastReferenceGone), which nothing but a reference keeps from happening.
  func retained(_ source: UInt32) -> CellRef? {
    let generation = unsafe cell.pointee.value.bits >> 32
    let source = CellRef(index: source)
    while true {
      let state = source.state
      let life = unsafe source.cell.pointee.life.load(ordering: .relaxed)
      guard !state.isClaimed, !state.isSettled, life >> 32 == generation,
        life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift,
        1..<Life.referenceLimit ~= life & Life.referencesMask
      else { return nil }
      if unsafe platform_exchange_second(source.cell, state.bits, life, life &+ 1) { return source }
    }
  }

  /// Notes which of the promises that have had its cell the source is: in the upper half of the bits of `value`.
  @inline(__always)
  func noteGeneration(of source: CellRef) {
    let life = unsafe UnsafeRawPointer(source.cell).load(fromByteOffset: Cell.lifeOffset + 4, as: UInt32.self)
    unsafe UnsafeMutableRawPointer(cell).storeBytes(of: life, toByteOffset: Cell.valueOffset + 12, as: UInt32.self)
  }
}

/// The contents of a detached reaction, to release.
private enum Detached {
  case nothing
  case context(Context)
  case job(Job)
  /// The promise that a link settles, or the gather of an input.
  case cell(CellRef)
  /// The reaction that has an event of a queue.
  case completion(CellRef)

  init(_ reaction: CellRef) {
    switch reaction.reactionKind {
    case .follow: self = .nothing
    case .link, .input: self = unsafe .cell(CellRef.from(reaction.cell.pointee.context))
    case .completion: self = .completion(reaction)
    case .job: self = unsafe .job(Job(CellRef.from(reaction.cell.pointee.context)))
    default: self = .context(reaction.reactionContext)
    }
  }

  func release() {
    switch self {
    case .nothing: break
    case .context(let context): context.releaseInTurn()
    case .job(let job): job.abandon()
    case .cell(let cell): cell.release()
    case .completion(let reaction): reaction.dropCompletion()
    }
  }
}
