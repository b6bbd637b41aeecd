import CPlatform
import Synchronization

extension CellRef {
  /// Returns a promise that gets the outcome of this one after a delay: on the executor, or without one on a thread for
  /// timers. A cancel request for it propagates to this promise; if this promise is cancelled, the rest of the delay is
  /// skipped. Nil when memory has run out.
  package func delay(nanoseconds: Int64, on executor: CellExecutor? = nil) -> CellRef? {
    guard let delay = unsafe Delay.make(nanoseconds, executor) else { return nil }
    var plan = Job.Plan()
    unsafe plan.onFulfilled = unsafe unsafeBitCast(Delay.onFulfilled, to: UnsafeMutableRawPointer.self)
    unsafe plan.onRejected = unsafe unsafeBitCast(Delay.onRejected, to: UnsafeMutableRawPointer.self)
    plan.isOwn = true
    let delayed = react(&plan, delay)
    delayed?.watch()
    return delayed
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

  static var onFulfilled: Handler {
    { delay, value, out in unsafe Delay.follow(delay, value, .fulfilled, out) }
  }
  static var onRejected: Handler {
    { delay, value, out in unsafe Delay.follow(delay, value, .rejected, out) }
  }

  /// Makes the derived promise follow one that gets the outcome after the delay.
  private static func follow(
    _ delay: UnsafeMutableRawPointer?, _ value: UnsafeRawPointer, _ outcome: Outcome, _ out: UnsafeMutableRawPointer
  ) -> Int32 {
    let delay = unsafe delay.unsafelyUnwrapped.assumingMemoryBound(to: Delay.self).pointee
    let value = unsafe value.load(as: CellValue.self)
    let left: CellValue
    var verdict = Verdict.reject
    if !value.retain() {
      left = Fault.tooManyReferences.value
    } else if let later = unsafe CellRef.settling(
      value, outcome, after: delay.nanoseconds, on: delay.executor, flags: CellTask.awaitsFollower,
      onCancelRequest: skip)
    {
      left = CellValue(kind: .promise, bits: later.token.bits)
      verdict = .adopt
    } else {
      left = Fault.outOfMemory.value
    }
    unsafe out.storeBytes(of: left, as: CellValue.self)
    return verdict.rawValue
  }

  /// Skips the rest of the delay on a cancel request, if the delayed outcome is a cancellation itself.
  private static var skip: Observer {
    { timer, _ in
      let timer = unsafe CellTimer(CellRef.from(timer))
      let task = Job(timer.ref)
      let value = task.value
      guard task.outcome.isRejected, value.kind == ValueKind.discarded.rawValue, timer.takeOut() else { return }
      if value.retain() { _ = task.promise.settle(value, .rejected) }
      _ = task.drop()
    }
  }
}

extension CellRef {
  /// Waits until the reaction that returned this promise has adopted it, or never will: until the caller's reference is
  /// the only one. If it were settled earlier, the adopting thread would settle the derived promise, not this one.
  func awaitFollower() {
    while acquiredLife & Life.referencesMask > 1 { platform_yield() }
  }
}
