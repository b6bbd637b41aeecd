extension CellRef {
  /// A promise that is fulfilled, with VOID, after so many nanoseconds: on the executor, or without one on a thread for
  /// timers. Whatever settles it before stops the timer, which holds the promise until then. Nil when memory has run
  /// out, or threads.
  package static func sleep(nanoseconds: Int64, on executor: CellExecutor? = nil) -> CellRef? {
    // The promise's context is the timer, the timer's the promise; one of the promise's two references is for that.
    guard let promise = unsafe CellRef.discardable(nil, Context(nil, nil)) else { return nil }
    guard let timer = unsafe CellTimer.make(on: executor, wake, dropped: giveUp, UnsafeMutableRawPointer(promise.cell))
    else {
      promise.deallocate()
      return nil
    }
    _ = promise.retain()
    unsafe promise.cell.pointee.context = UnsafeMutableRawPointer(timer.ref.cell)
    unsafe promise.cell.pointee.free = { timer in
      let timer = unsafe CellTimer(CellRef(timer.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)))
      timer.cancel()
      timer.release()
    }
    if timer.start(after: nanoseconds) { return promise }
    promise.release()
    return nil
  }

  /// The time is over.
  private static var wake: FreeFunction {
    { context in
      let promise = unsafe CellRef(context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self))
      _ = promise.settle(.void, .fulfilled)
      promise.release()
    }
  }

  /// The timer was stopped, by what settled the promise, or by an executor that shuts down.
  private static var giveUp: FreeFunction {
    { context in
      let promise = unsafe CellRef(context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self))
      if !promise.state.isClaimed { _ = promise.settle(Fault.closed.value, .rejected) }
      promise.release()
    }
  }
}
