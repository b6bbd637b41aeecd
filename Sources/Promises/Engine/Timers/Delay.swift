import CPlatform
import Synchronization

extension CellRef {
  /// Returns a promise that gets the outcome of this one after a delay: on the executor, or without one on a thread for
  /// timers. A cancel request for it propagates to this promise; if this promise is cancelled, the rest of the delay is
  /// skipped. Nil when memory has run out.
  package func delay(nanoseconds: Int64, on executor: CellExecutor? = nil) -> CellRef? {
    guard let delay = unsafe Delay.make(nanoseconds, executor) else { return nil }
    guard let delayed = unsafe CellRef.derived(from: self, .delay, nil, delay) else {
      delay.release()
      return nil
    }
    delayed.watch()
    deliver(to: delayed)
    noteReader()
    return delayed
  }

  /// Makes this promise, whose reaction is a delay, follow one that a timer settles with the outcome of the source. The
  /// timer starts last: if it fired before this promise followed the other one, this thread would settle this promise,
  /// instead of the executor.
  func startDelay(_ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    let context = reactionContext
    defer { context.release() }
    let delay = unsafe context.pointer.unsafelyUnwrapped.assumingMemoryBound(to: Delay.self).pointee
    // As adopt() does: without recursion.
    if state.isCancelRequested && Delay.isSkipped(value, outcome) { return pass(value, outcome) }
    guard value.retain() else { return conclude(Fault.tooManyReferences.value, .rejected) }
    guard let later = unsafe CellRef.timed(value, outcome, on: delay.executor, onCancelRequest: Delay.skip) else {
      return conclude(Fault.outOfMemory.value, .rejected)
    }
    // Keeps requests and releases from the timer until it has started.
    later.retainUnchecked()
    let result = adopt(later)
    _ = later.startTimer(after: delay.nanoseconds) { _ = later.settle(Fault.outOfMemory.value, .rejected) }
    later.release()
    return result
  }
}

/// The parameters of a delay: the context of the reaction to the source.
@unsafe
private struct Delay {
  let nanoseconds: Int64
  let executor: CellExecutor?

  static func make(_ nanoseconds: Int64, _ executor: CellExecutor?) -> Context? {
    if let executor, !executor.ref.retain() { return nil }
    guard let memory = unsafe malloc(MemoryLayout<Delay>.size) else {
      executor?.ref.release()
      return nil
    }
    unsafe memory.bindMemory(to: Delay.self, capacity: 1)
      .initialize(to: Delay(nanoseconds: nanoseconds, executor: executor))
    return unsafe Context(memory) { memory in
      unsafe memory.unsafelyUnwrapped.assumingMemoryBound(to: Delay.self).pointee.executor?.ref.release()
      unsafe platform_free(memory)
    }
  }

  /// Whether a cancel request skips the rest of the delay: if the delayed outcome is a cancellation itself.
  static func isSkipped(_ value: CellValue, _ outcome: Outcome) -> Bool {
    outcome.isRejected && value.kind == ValueKind.discarded.rawValue
  }

  static var skip: Observer {
    { timer, _ in
      let timer = unsafe CellTimer(CellRef.from(timer))
      let task = Job(timer.ref)
      let value = task.value
      guard Delay.isSkipped(value, task.outcome), timer.takeOut() else { return }
      if value.retain() { _ = task.promise.settle(value, .rejected) }
      _ = task.drop()
    }
  }
}
