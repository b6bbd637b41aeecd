import CPlatform
import Synchronization

extension CellRef {
  /// Disposes of a cell to which the caller has the only reference. False if it is a promise with pending reactions,
  /// through which other threads may still reach it.
  @inline(__always)
  func disposeIfUnreachable(_ life: UInt64, isPromise: Bool) -> Bool {
    if isPromise {
      let state = self.state
      if state.isSettled {
        // Until it was settled, other threads could take references through its reactions: reload the count.
        guard acquiredLife == life else { return false }
      } else if state.isReachable {
        return false
      }
      // The promise owns nothing, and no hook has to be notified of its destruction.
      if state.ownsOnlyItsCell && (state.isSettled || !Observation.isOn) {
        deallocate()
        return true
      }
    }
    setLife(Life.dying(life))
    dispose()
    return true
  }

  /// Frees a dying cell and the resources it owns. If that releases the last reference to another cell, the disposal of
  /// the other cell is deferred. So a chain of a million promises is freed without recursion, also through contexts and
  /// destructors.
  @inline(never)
  func dispose() {
    let thread = unsafe platform_thread()
    if unsafe thread.pointee.disposing {
      self.next = unsafe thread.pointee.disposal
      unsafe thread.pointee.disposal = index
      return
    }
    CellRef.disposing { disposeNow() }
  }

  /// Drains the lists of deferred disposals and contexts.
  private static func drainDisposals() {
    let thread = unsafe platform_thread()
    while true {
      if unsafe thread.pointee.disposal != 0 {
        let next = unsafe CellRef(index: thread.pointee.disposal)
        unsafe thread.pointee.disposal = next.next
        next.disposeNow()
      } else if unsafe thread.pointee.contexts != 0 {
        let next = unsafe CellRef(index: thread.pointee.contexts)
        unsafe thread.pointee.contexts = next.nextOfContexts
        next.reactionContext.release()
        next.release()
      } else {
        return
      }
    }
  }

  /// Releases the context of this reaction or discard block, which will not run. Within the release of another context,
  /// the release is deferred until that one has returned. So nested contexts are released without recursion, too, and
  /// without memory: the list consists of the cells themselves, each with a reference, linked through `function`.
  func releaseContextInTurn() {
    guard unsafe contextFree != nil else { return }
    let thread = unsafe platform_thread()
    guard unsafe thread.pointee.disposing else { return CellRef.disposing { reactionContext.release() } }
    guard retain() else { return reactionContext.release() }
    nextOfContexts = unsafe thread.pointee.contexts
    unsafe thread.pointee.contexts = index
  }

  private var nextOfContexts: UInt32 {
    get { unsafe UInt32(truncatingIfNeeded: UInt(bitPattern: function)) }
    nonmutating set { unsafe function = unsafe UnsafeMutableRawPointer(bitPattern: UInt(newValue)) }
  }

  /// Runs `body`, which may release the last references to cells, then disposes of those cells. Both run user code:
  /// destructors, and functions that free contexts. Events that these publish are delivered at once, not by a list of
  /// subscribers that this thread is draining.
  static func disposing(_ body: () -> Void) {
    let thread = unsafe platform_thread()
    let delivery = unsafe thread.pointee.delivery
    unsafe thread.pointee.delivery = nil
    unsafe thread.pointee.disposing = true
    body()
    drainDisposals()
    unsafe thread.pointee.disposing = false
    unsafe thread.pointee.delivery = unsafe delivery
  }

  private func disposeNow() {
    switch life & Life.referencesMask {
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
    case .tokenGuard, .loop: reactionContext.release()
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
      if state.isOwning { value.release() }
      return
    }
    if Observation.isOn {
      noteDrop()
      reportLoss(newest: state.head)
    }
    if isDiscardable(state) { reactionContext.release() }
    CellRef.orphan(Settlement.reversed(state.head))
  }

  /// Releases a list of reactions that will never run.
  static func orphan(_ first: UInt32) {
    for reaction in ReactionList(first) {
      reaction.orphan()
    }
  }

  /// Orphans this reaction, whose source was destroyed while pending: the handler never runs, the promise stays
  /// pending.
  private func orphan() {
    let source = state.source
    clearSource()
    switch reactionKind {
    case .cancelHandler: dropCancelHandler()
    case .input: loseGatherInput()
    case .link:
      let target = contextCell
      if target.state.source == source { target.clearSource() }
      target.release()
    case .job: job.abandon()
    // The captures of a callback are stored where those of a closure are.
    case .closure, .callback: unsafe closure.deinitialize(count: 1)
    case .follow: break
    case .detached: leaveList()
    case .completion: loseCompletion()
    // An observer without functions keeps no promise from being abandoned, and a chain of them may be.
    case .observe: releaseContextInTurn()
    default: reactionContext.release()
    }
    // Acquire ordering: other threads used the promise before they released it.
    if acquiredLife & Life.holdersMask == 1 && !state.isReachable {
      meta = ReactionKind.orphan
    } else if hold() == .held {
      // A call that settles the promise from outside, or propagates a request
      // through it, may read the kind concurrently.
      meta = ReactionKind.orphan
      unhold()
    }
    release()
  }
}
