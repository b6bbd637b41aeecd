import Synchronization

extension CellRef {
  /// Returns a promise that follows this one, but is rejected when that takes longer than the time: on the executor, or
  /// without one on a thread for timers. Then cancellation of this promise is requested, if no one else is interested
  /// in it. Nil when memory or threads have run out.
  package func timeout(nanoseconds: Int64, on executor: CellExecutor? = nil) -> CellRef? {
    guard let limited = unsafe CellRef.derived(from: self, .follow, nil, Context(nil, nil)) else { return nil }
    deliver(to: limited)
    noteReader()
    if limited.state.isSettled || limited.expire(after: nanoseconds, on: executor) { return limited }
    limited.release()
    return nil
  }

  /// Starts the timer, which has a weak reference to this promise. The promise's settlement or destruction stops it.
  /// False when memory or threads have run out.
  private func expire(after nanoseconds: Int64, on executor: CellExecutor?) -> Bool {
    let context = unsafe WeakCell(self).context
    guard let timer = unsafe CellTimer.make(on: executor, CellRef.expire, dropped: { _ in }, context) else {
      return false
    }
    guard timer.ref.retain() else {
      _ = Job(timer.ref).drop()
      timer.release()
      return false
    }
    guard stop(timer) else {
      _ = Job(timer.ref).drop()
      timer.ref.release()
      return false
    }
    let hasStarted = timer.start(after: nanoseconds)
    // The promise may have been settled before the timer was started.
    if state.isSettled { timer.cancel() }
    timer.ref.release()
    return hasStarted
  }

  /// Makes the settlement of the promise stop the timer. Takes ownership of a reference to the timer; false when memory
  /// has run out.
  private func stop(_ timer: CellTimer) -> Bool {
    let context = unsafe Context(UnsafeMutableRawPointer(timer.ref.cell)) { timer in
      let timer = unsafe CellTimer(CellRef.from(timer))
      timer.cancel()
      timer.release()
    }
    return keep(context)
  }

  /// Keeps the context until the promise is settled or destroyed. Does not count as waiting for the promise. False when
  /// memory has run out: the context is released.
  func keep(_ context: Context) -> Bool {
    // An observer without a function.
    guard let observer = unsafe CellRef.derived(from: self, .observe, nil, context, interest: .none, references: 1)
    else {
      context.release()
      return false
    }
    unsafe observer.rejectionObserver = nil
    deliver(to: observer)
    return true
  }

  private static var expire: FreeFunction {
    { context in
      unsafe WeakCell(context: context).with { promise in
        promise.leaveSource { promise.settle(Fault.timedOut.value, .rejected) }
      }
    }
  }
}
