import Synchronization

extension CellRef {
  /// Returns a promise that is fulfilled with VOID after a time: on the executor, or without one on a thread for
  /// timers. A settlement before that stops the timer, which has a reference to the promise until then. A cancel
  /// request discards the promise at once. Nil when memory or threads have run out.
  package static func sleep(nanoseconds: Int64, on executor: CellExecutor? = nil) -> CellRef? {
    let timed = unsafe timed(.void, .fulfilled, on: executor) { timer, _ in
      _ = unsafe Job(CellRef.from(timer)).promise.discard()
    }
    guard let promise = timed else { return nil }
    if promise.startTimer(after: nanoseconds) { return promise }
    promise.release()
    return nil
  }

  /// Returns a promise that gets this outcome once its timer, which the caller must start, has fired. The caller gets a
  /// reference. `onCancelRequest` receives the timer. Takes ownership of the value; nil when memory has run out.
  static func timed(_ value: CellValue, _ outcome: Outcome, on executor: CellExecutor?, onCancelRequest: Observer)
    -> CellRef?
  {
    // The promise's context is the timer, and the timer has one of the promise's two references.
    guard let promise = unsafe CellRef.discardable(nil, Context(nil, nil)), promise.retain() else {
      value.release()
      return nil
    }
    promise.keepForSettler()
    guard let timer = unsafe CellTimer.make(on: executor, fire, dropped: giveUp, nil) else {
      value.release()
      promise.release()
      promise.release()
      return nil
    }
    CellTask(timer.ref).becomeSettlement(of: promise, with: value, outcome)
    promise.reactionContext = unsafe Context(UnsafeMutableRawPointer(timer.ref.cell)) { timer in
      let timer = unsafe CellTimer(CellRef.from(timer))
      timer.cancel()
      timer.release()
    }
    promise.mark(DiscardBlock.timed)
    let isReady =
      unsafe timer.ref.retain()
      && promise.onCancelRequestOfTimed(
        onCancelRequest, Context(UnsafeMutableRawPointer(timer.ref.cell)) { unsafe CellRef.from($0).release() })
    if isReady { return promise }
    _ = Job(timer.ref).drop()
    promise.release()
    return nil
  }

  /// Starts the timer of this promise. False when memory or threads have run out: then the promise is rejected, after
  /// `onFailure` was called.
  func startTimer(after nanoseconds: Int64, _ onFailure: () -> Void = {}) -> Bool {
    CellTimer(contextCell).start(at: CellTimer.deadline(after: nanoseconds), onFailure)
  }

  /// Settles the promise when the time is over.
  private static var fire: FreeFunction {
    { context in
      let task = unsafe Job(CellRef.from(context))
      let promise = task.promise
      _ = promise.settle(task.value, task.outcome)
      promise.release()
    }
  }

  /// Releases the timer's resources when it was stopped: by a settlement of the promise, or by an executor that shuts
  /// down.
  private static var giveUp: FreeFunction {
    { context in
      let task = unsafe Job(CellRef.from(context))
      let promise = task.promise
      // A thread that has claimed the promise may be reading the value (delayedReason).
      if promise.state.isClaimed {
        promise.awaitPublication()
      } else {
        _ = promise.settle(Fault.closed.value, .rejected)
      }
      task.value.release()
      promise.release()
    }
  }

  /// The reason with which a timer would reject this promise, which the caller has claimed, with a reference for the
  /// caller; nil for another promise.
  var delayedReason: CellValue? {
    guard isDiscardable(state), meta & DiscardBlock.timed != 0 else { return nil }
    let task = Job(contextCell)
    return task.outcome.isRejected && task.value.retain() ? task.value : nil
  }
}
