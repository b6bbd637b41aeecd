import CPlatform
import Synchronization

extension CellRef {
  /// A promise that ends as this one does, so many nanoseconds later: on the executor, or without one on a thread for
  /// timers. A request to cancel goes on to this promise; if it is cancelled, the rest of the time is skipped. Nil when
  /// memory has run out.
  package func delay(nanoseconds: Int64, on executor: CellExecutor? = nil) -> CellRef? {
    guard let delay = unsafe Delay.make(nanoseconds, executor) else { return nil }
    var plan = Job.Plan()
    unsafe plan.onFulfilled = unsafe unsafeBitCast(Delay.onFulfilled, to: UnsafeMutableRawPointer.self)
    unsafe plan.onRejected = unsafe unsafeBitCast(Delay.onRejected, to: UnsafeMutableRawPointer.self)
    unsafe plan.isOwn = true
    let delayed = react(plan, delay)
    delayed?.watch()
    return delayed
  }
}

/// What is to happen once the source is settled: the context of its reaction.
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

  /// Makes the promise follow one that ends so after the time.
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
      value, outcome, after: delay.nanoseconds, on: delay.executor, flags: Job.awaitsFollower, onCancelRequest: skip)
    {
      left = CellValue(kind: .promise, bits: later.token.bits)
      verdict = .adopt
    } else {
      left = Fault.outOfMemory.value
    }
    unsafe out.storeBytes(of: left, as: CellValue.self)
    return verdict.rawValue
  }

  /// Somebody asked to cancel, and what is delayed is the news that this has happened: it need not wait.
  private static var skip: Observer {
    { timer, _ in
      let timer = unsafe CellTimer(CellRef.from(timer))
      let task = Job(timer.ref)
      let value = unsafe task.ref.cell.pointee.value
      guard task.has(Job.rejected), value.kind == ValueKind.discarded.rawValue, timer.takeOut() else { return }
      if value.retain() { _ = task.promise.settle(value, .rejected) }
      _ = task.drop()
    }
  }
}

extension CellRef {
  /// Returns when this promise, which a reaction has left for its own to follow, is followed, or never will be: when the
  /// caller's reference is the only one. If it were settled before, its followers would be settled elsewhere.
  func awaitFollower() {
    while unsafe cell.pointee.life.load(ordering: .acquiring) & Life.referencesMask > 1 { platform_yield() }
  }
}
