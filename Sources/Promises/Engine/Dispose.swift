import CPlatform
import Synchronization

extension CellRef {
  /// The caller's is the only reference to a cell of any kind: disposes of it. False if it is a promise with reactions
  /// that are to come, by way of which others may still reach it.
  @inline(__always)
  func lastReferenceGone(_ life: UInt64, isPromise: Bool) -> Bool {
    if isPromise {
      let state = self.state
      if state.isSettled {
        // Until then others could take references by way of its reactions; they are counted now.
        guard unsafe cell.pointee.life.load(ordering: .acquiring) == life else { return false }
      } else if state.isReachable {
        return false
      }
      // Nobody has to be told that it goes, either.
      if state.isBare && (state.isSettled || !Observation.isOn) {
        deallocate()
        return true
      }
    }
    unsafe cell.pointee.life.store(Life.dying(life), ordering: .relaxed)
    dispose()
    return true
  }

  /// Frees a dying cell and what it owns. That may give back the last reference to others, whose disposal is put off
  /// until this one is done: a chain of a million promises goes without recursion, through contexts and destructors too.
  @inline(never)
  func dispose() {
    let thread = unsafe platform_thread()
    if unsafe thread.pointee.disposing {
      unsafe cell.pointee.next = unsafe thread.pointee.disposal
      unsafe thread.pointee.disposal = index
      return
    }
    CellRef.disposing { disposeNow() }
  }

  /// Disposes of those that were put off meanwhile.
  private static func disposeOfOthers() {
    let thread = unsafe platform_thread()
    while unsafe thread.pointee.disposal != 0 {
      let next = unsafe CellRef(index: thread.pointee.disposal)
      unsafe thread.pointee.disposal = unsafe next.cell.pointee.next
      next.disposeNow()
    }
  }

  /// Runs what may give back the last reference to cells, and then disposes of them.
  static func disposing(_ body: () -> Void) {
    let thread = unsafe platform_thread()
    unsafe thread.pointee.disposing = true
    body()
    disposeOfOthers()
    unsafe thread.pointee.disposing = false
  }

  private func disposeNow() {
    switch unsafe cell.pointee.life.load(ordering: .relaxed) & Life.referencesMask {
    case CellKind.promise.rawValue: disposeOfPromise()
    case CellKind.box.rawValue: Box(self).free()
    case CellKind.executor.rawValue: reactionContext.release()
    case CellKind.other.rawValue: disposeOfOther()
    default: break
    }
    deallocate()
  }

  private func disposeOfOther() {
    switch subkind {
    case .cancelToken: CancelToken(self).free()
    case .gate, .loop, .rest: reactionContext.release()
    case .gather: Gather(self).free()
    case .publisher: CellPublisher(self).free()
    case .queue: CompletionQueue(self).free()
    case .completion: Completion(self).free()
    case .subscriber: CellSubscriber(self).free()
    default: break
    }
  }

  private func disposeOfPromise() {
    let state = self.state
    if state.isSettled {
      if state.isUnseen { reportUnhandledRejection() }
      if state.bits & CellState.owning != 0 { unsafe cell.pointee.value.release() }
      return
    }
    if Observation.isOn {
      noteDrop()
      reportLoss(newest: state.head)
    }
    if isDiscardable(state) { reactionContext.release() }
    CellRef.orphan(Settlement.reversed(state.head))
  }

  /// Lets go of a list of reactions that will never run.
  static func orphan(_ first: UInt32) {
    var list = first
    while list != 0 {
      let reaction = CellRef(index: list)
      list = unsafe reaction.cell.pointee.next
      reaction.orphan()
    }
  }

  /// The source of this reaction died pending: its handler will never run, the promise stays pending.
  private func orphan() {
    let source = state.source
    setSource(0)
    switch reactionKind {
    case .cancelHandler: dropCancelHandler()
    case .input: loseGatherInput()
    case .link:
      let target = unsafe CellRef.from(cell.pointee.context)
      if target.state.source == source { target.setSource(0) }
      target.release()
    case .job: job.abandon()
    // What a callback captured lies where a closure's does.
    case .closure, .callback: unsafe closure.deinitialize(count: 1)
    case .follow, .detached: break
    case .completion: loseCompletion()
    default: reactionContext.release()
    }
    if unsafe cell.pointee.life.load(ordering: .relaxed) & Life.holdersMask == 1 {
      unsafe cell.pointee.meta = ReactionKind.orphan
    } else if hold() {
      // Settled from outside meanwhile, it may look at its kind.
      unsafe cell.pointee.meta = ReactionKind.orphan
      letGo()
    }
    release()
  }
}

extension Context {
  /// Releases the context; if that comes of the release of another one, after it. So contexts that own what contexts wait
  /// for go without recursion too. Without memory to note that, at once.
  func releaseInTurn() {
    guard unsafe free != nil else { return }
    guard unsafe platform_thread().pointee.disposing else { return CellRef.disposing { release() } }
    guard let rest = CellRef.allocate(.rest) else { return release() }
    unsafe rest.cell.pointee.context = unsafe pointer
    unsafe rest.cell.pointee.free = unsafe free
    rest.release()
  }
}
