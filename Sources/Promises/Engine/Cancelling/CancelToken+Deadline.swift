import CPlatform

// A token may have a deadline. When it passes, the token is cancelled without being invalidated, so that callbacks are
// not silenced. Tokens that are chained to it and cancelled with it get a deadline no later than its own. Each token
// has a timer of its own, so its deadline stays valid after the token that it is chained to was destroyed.
extension CancelToken {
  /// The monotonic time in nanoseconds at which the token is cancelled; `.max`: never.
  package var deadline: Int64 { locked { limit.time } }

  /// The number of nanoseconds left; nil without a deadline.
  package var timeLeft: Int64? {
    let deadline = self.deadline
    return deadline == .max ? nil : deadline - platform_now()
  }

  /// Cancels the token, and the tokens cancelled with it, at the monotonic time `deadline`, on the executor or on the
  /// timer thread. A token with an earlier deadline keeps it. False when memory or threads have run out: some of the
  /// tokens may have the deadline then.
  package func cancel(at deadline: Int64, on executor: CellExecutor? = nil) -> Bool {
    var work = TokenStack()
    guard ref.retain() else { return false }
    work.push(self, invalidates: false)
    var hasMemory = true
    while let (token, _) = work.pop() {
      switch token.lower(to: deadline, on: executor) {
      case .lowered: token.pushCancelled(to: &work)
      case .kept: break
      case .outOfMemory: hasMemory = false
      }
      token.ref.release()
    }
    return hasMemory && work.isComplete
  }

  /// Copies the deadline of a token that this one is chained to. False when memory or threads have run out.
  func inheritDeadline(of other: CancelToken) -> Bool {
    let limit = other.locked {
      let limit = other.limit
      return limit.executor?.ref.retain() == false ? nil : limit
    }
    guard let limit else { return false }
    defer { limit.executor?.ref.release() }
    return limit.time == .max || cancel(at: limit.time, on: limit.executor)
  }

  /// Requests cancellation of a promise that was added after the deadline passed.
  func requestCancelIfOverdue(_ promise: CellRef) {
    let deadline = self.deadline
    guard deadline != .max, deadline <= platform_now() else { return }
    let reason = Fault.deadline.value
    promise.requestCancel(reason)
    reason.release()
  }

  /// Removes the deadline of the token.
  func dropDeadline() {
    let old = locked {
      let old = limit
      limit = .none
      return old
    }
    old.stop()
  }

  private enum Lowering { case lowered, kept, outOfMemory }

  private func lower(to deadline: Int64, on executor: CellExecutor?) -> Lowering {
    guard deadline < self.deadline, hasHandles else { return .kept }
    guard let new = Limit(deadline, of: self, on: executor) else { return .outOfMemory }
    // Another thread may have set an earlier deadline, or released the last handle; then no call would stop the new
    // timer.
    let old = locked {
      guard deadline < limit.time, hasHandles else { return new }
      let old = limit
      limit = new
      return old
    }
    old.stop()
    return old.timer == new.timer ? .kept : .lowered
  }

  /// Pushes the tokens that are cancelled with this one.
  private func pushCancelled(to work: inout TokenStack) {
    locked {
      var next = first(of: .tokens)
      while next != 0 {
        let entry = TokenEntry(CellRef(index: next))
        next = entry.next
        let isCancelled = entry.flags & CancelToken.onlyInvalidation == 0
        if isCancelled, let child = entry.weak.strong() { work.push(CancelToken(child), invalidates: false) }
      }
    }
  }
}

/// A deadline and its timer.
private struct Limit {
  let time: Int64
  /// The timer's index; 0: none.
  let timer: UInt32
  let executorIndex: UInt32

  static var none: Limit { Limit(time: .max, timer: 0, executorIndex: 0) }

  init(time: Int64, timer: UInt32, executorIndex: UInt32) {
    self.time = time
    self.timer = timer
    self.executorIndex = executorIndex
  }

  /// Starts the timer, which has a weak reference to the token. Nil when memory or threads have run out.
  init?(_ time: Int64, of token: CancelToken, on executor: CellExecutor?) {
    if let executor, !executor.ref.retain() { return nil }
    let context = unsafe WeakCell(token.ref).context
    if let timer = unsafe CellTimer.make(on: executor, Limit.expire, dropped: { _ in }, context) {
      if timer.start(at: time) {
        self.init(time: time, timer: timer.ref.index, executorIndex: executor?.ref.index ?? 0)
        return
      }
      timer.release()
    }
    executor?.ref.release()
    return nil
  }

  var executor: CellExecutor? { executorIndex == 0 ? nil : CellExecutor(CellRef(index: executorIndex)) }

  func stop() {
    if timer != 0 {
      let timer = CellTimer(CellRef(index: self.timer))
      timer.cancel()
      timer.release()
    }
    executor?.ref.release()
  }

  private static var expire: FreeFunction {
    { token in
      unsafe WeakCell(context: token).with { cell in
        let reason = Fault.deadline.value
        _ = CancelToken(cell).cancelWithoutInvalidating(reason)
        reason.release()
      }
    }
  }
}

extension CancelToken {
  /// Stored in the token's fields, guarded by its lock.
  private var limit: Limit {
    get {
      Limit(time: Int64(bitPattern: ref.value.bits), timer: ref.value.box, executorIndex: ref.next)
    }
    nonmutating set {
      ref.value = CellValue(
        kind: ValueKind(rawValue: ref.value.kind), bits: UInt64(bitPattern: newValue.time), box: newValue.timer)
      ref.next = newValue.executorIndex
    }
  }

  /// Initializes a new token without a deadline.
  func clearDeadline() { limit = .none }
}
