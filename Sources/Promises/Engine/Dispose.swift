import CPlatform
import Synchronization

extension CellRef {
  /// The last reference to a cell of any kind is gone.
  @inline(__always)
  func lastReferenceGone() {
    if cell.pointee.life.load(ordering: .relaxed) & Life.kindMask == CellKind.promise.rawValue << Life.kindShift
      && CellState(cell.pointee.state.load(ordering: .relaxed)).isBare
    {
      deallocate()
    } else {
      dispose()
    }
  }

  /// Frees a cell and what it owns. That may give back the last reference to others, whose disposal is put off until this one is
  /// done: a chain of a million promises goes without recursion, through contexts and destructors too.
  @inline(never)
  func dispose() {
    let thread = platform_thread()
    if thread.pointee.disposing {
      cell.pointee.next = thread.pointee.disposal
      thread.pointee.disposal = index
      return
    }
    thread.pointee.disposing = true
    disposeNow()
    while thread.pointee.disposal != 0 {
      let next = CellRef(index: thread.pointee.disposal)
      thread.pointee.disposal = next.cell.pointee.next
      next.disposeNow()
    }
    thread.pointee.disposing = false
  }

  private func disposeNow() {
    switch cell.pointee.life.load(ordering: .relaxed) >> Life.kindShift & 7 {
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
      if state.bits & CellState.owning != 0 { cell.pointee.value.release() }
      return
    }
    if state.isDiscardable { reactionContext.release() }
    var list = Settlement.reversed(state.head)
    while list != 0 {
      let reaction = CellRef(index: list)
      list = reaction.cell.pointee.next
      reaction.orphan()
    }
  }

  /// The source of this reaction died pending: its handler will never run, the promise stays pending.
  private func orphan() {
    setSource(0)
    switch reactionKind {
    case .link: CellRef(cell.pointee.context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)).release()
    case .job: Job(CellRef(cell.pointee.context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self))).abandon()
    case .closure: closure.deinitialize(count: 1)
    case .follow: break
    default: reactionContext.release()
    }
    cell.pointee.meta = ReactionKind.none.rawValue
    release()
  }
}
