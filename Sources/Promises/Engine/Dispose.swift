import CPlatform
import Synchronization

extension CellRef {
  /// The last reference to a cell of any kind is gone.
  @inline(__always)
  func lastReferenceGone() {
    if unsafe cell.pointee.life.load(ordering: .relaxed) & Life.kindMask == CellKind.promise.rawValue << Life.kindShift
      && CellState(cell.pointee.state.load(ordering: .relaxed)).isBare
    {
      deallocate()
    } else {
      dispose()
    }
  }

  /// Frees a cell and what it owns. That may give back the last reference to others, whose disposal is put off until
  /// this one is done: a chain of a million promises goes without recursion, through contexts and destructors too.
  @inline(never)
  func dispose() {
    die()
    let thread = unsafe platform_thread()
    if unsafe thread.pointee.disposing {
      unsafe cell.pointee.next = unsafe thread.pointee.disposal
      unsafe thread.pointee.disposal = index
      return
    }
    unsafe thread.pointee.disposing = true
    disposeNow()
    while unsafe thread.pointee.disposal != 0 {
      let next = unsafe CellRef(index: thread.pointee.disposal)
      unsafe thread.pointee.disposal = unsafe next.cell.pointee.next
      next.disposeNow()
    }
    unsafe thread.pointee.disposing = false
  }

  /// Makes every token of the cell stale, before contexts and destructors run: what they do with it finds it gone. Its
  /// kind is kept in place of the references.
  private func die() {
    let life = unsafe cell.pointee.life.load(ordering: .relaxed)
    let kind = (life & Life.kindMask) >> Life.kindShift
    let rest = life & ~(Life.kindMask | Life.referencesMask)
    unsafe cell.pointee.life.store(rest | CellKind.dying.rawValue << Life.kindShift | kind, ordering: .relaxed)
  }

  private func disposeNow() {
    switch unsafe cell.pointee.life.load(ordering: .relaxed) & Life.referencesMask {
    case CellKind.promise.rawValue: disposeOfPromise()
    case CellKind.box.rawValue: Box(self).free()
    case CellKind.executor.rawValue: reactionContext.release()
    default: break
    }
    deallocate()
  }

  private func disposeOfPromise() {
    let state = self.state
    if state.isSettled {
      if state.bits & CellState.owning != 0 { unsafe cell.pointee.value.release() }
      return
    }
    if state.isDiscardable { reactionContext.release() }
    var list = Settlement.reversed(state.head)
    while list != 0 {
      let reaction = CellRef(index: list)
      list = unsafe reaction.cell.pointee.next
      reaction.orphan()
    }
  }

  /// The source of this reaction died pending: its handler will never run, the promise stays pending.
  private func orphan() {
    setSource(0)
    switch reactionKind {
    case .link: unsafe CellRef(cell.pointee.context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)).release()
    case .job: unsafe Job(CellRef(cell.pointee.context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self))).abandon()
    // What a callback captured lies where a closure's does.
    case .closure, .callback: unsafe closure.deinitialize(count: 1)
    case .follow: break
    default: reactionContext.release()
    }
    unsafe cell.pointee.meta = ReactionKind.none.rawValue
    release()
  }
}
