import Synchronization

extension CellRef {
  /// A promise that is fulfilled, with VOID, after so many nanoseconds: on the executor, or without one on a thread for
  /// timers. Whatever settles it before stops the timer, which holds the promise until then; a request to cancel
  /// discards it at once. Nil when memory has run out, or threads.
  package static func sleep(nanoseconds: Int64, on executor: CellExecutor? = nil) -> CellRef? {
    unsafe settling(.void, .fulfilled, after: nanoseconds, on: executor) { timer, _ in
      _ = unsafe Job(CellRef.from(timer)).promise.discard()
    }
  }

  /// A promise that ends so, as a reference of the caller's, with what to do when it is asked to cancel, which gets the
  /// timer. Takes over the value.
  static func settling(
    _ value: CellValue, _ outcome: Outcome, after nanoseconds: Int64, on executor: CellExecutor?, flags: UInt64 = 0,
    onCancelRequest: Observer
  ) -> CellRef? {
    // The promise's context is the timer, the timer holds the promise; one of the promise's two references is for that.
    guard let promise = unsafe CellRef.discardable(nil, Context(nil, nil)), promise.retain() else {
      value.release()
      return nil
    }
    let flags =
      UInt64(promise.index) << Job.promiseShift | (outcome.isRejected ? Job.rejected : 0) | flags
    guard let timer = unsafe CellTimer.make(on: executor, flags: flags, fire, dropped: giveUp, nil) else {
      value.release()
      promise.release()
      promise.release()
      return nil
    }
    unsafe timer.ref.cell.pointee.value = value
    unsafe timer.ref.cell.pointee.context = UnsafeMutableRawPointer(timer.ref.cell)
    unsafe promise.cell.pointee.context = UnsafeMutableRawPointer(timer.ref.cell)
    unsafe promise.cell.pointee.free = { timer in
      let timer = unsafe CellTimer(CellRef.from(timer))
      timer.cancel()
      timer.release()
    }
    let isReady =
      unsafe timer.ref.retain()
      && promise.onCancelRequestOfTimed(
        onCancelRequest, Context(UnsafeMutableRawPointer(timer.ref.cell)) { unsafe CellRef.from($0).release() })
    if isReady && timer.start(after: nanoseconds) { return promise }
    if !isReady { _ = Job(timer.ref).drop() }
    promise.release()
    return nil
  }

  /// The time is over.
  private static var fire: FreeFunction {
    { context in
      let task = unsafe Job(CellRef.from(context))
      let promise = task.promise
      if task.has(Job.awaitsFollower) { promise.awaitFollower() }
      _ = unsafe promise.settle(task.ref.cell.pointee.value, task.has(Job.rejected) ? .rejected : .fulfilled)
      promise.release()
    }
  }

  /// The timer was stopped, by what settled the promise, or by an executor that shuts down.
  private static var giveUp: FreeFunction {
    { context in
      let task = unsafe Job(CellRef.from(context))
      let promise = task.promise
      unsafe task.ref.cell.pointee.value.release()
      if !promise.state.isClaimed { _ = promise.settle(Fault.closed.value, .rejected) }
      promise.release()
    }
  }
}
