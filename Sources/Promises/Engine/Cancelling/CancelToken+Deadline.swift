import CPlatform

// A token may have a deadline: when it has come, the token is cancelled without being invalidated, so that everybody hears
// of it. The tokens that go with it then have a deadline that is no later. Each has a timer of its own, so what it says is
// true though the token that it goes with is gone.
extension CancelToken {
  /// The monotonic time at which the token is cancelled; `.max`: never.
  package var deadline: Int64 { locked { limit.time } }

  /// How many nanoseconds are left; nil if there is no deadline.
  package var timeLeft: Int64? {
    let deadline = self.deadline
    return deadline == .max ? nil : deadline - platform_now()
  }

  /// Cancels the token at that monotonic time, on the executor or on a thread for timers, unless it has an earlier deadline,
  /// and so with the tokens that go with it. False when memory has run out, or threads: some of them may have it then.
  package func cancel(at deadline: Int64, on executor: CellExecutor? = nil) -> Bool {
    var work = TokenWork()
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
    return hasMemory && work.isWhole
  }

  /// Takes over the deadline of a token that this one goes with. False when memory has run out, or threads.
  func inheritDeadline(of other: CancelToken) -> Bool {
    let limit = other.locked {
      let limit = other.limit
      return limit.executor?.ref.retain() == false ? nil : limit
    }
    guard let limit else { return false }
    defer { limit.executor?.ref.release() }
    return limit.time == .max || cancel(at: limit.time, on: limit.executor)
  }

  /// Asks a promise that was added too late to hear of it.
  func requestCancelIfOverdue(_ promise: CellRef) {
    let deadline = self.deadline
    guard deadline != .max, deadline <= platform_now() else { return }
    let reason = Fault.deadline.value
    promise.requestCancel(reason)
    reason.release()
  }

  /// From now on the token has no deadline.
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
    // Another thread may have come first, with an earlier one; or given the last handle back, and nobody drops this one.
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
  private func pushCancelled(to work: inout TokenWork) {
    locked {
      var next = first(of: .tokens)
      while next != 0 {
        let entry = CellRef(index: next)
        next = entry.nextEntry
        let isCancelled = entry.entryFlags & CancelToken.onlyInvalidation == 0
        if isCancelled, let child = entry.entry.strong() { work.push(CancelToken(child), invalidates: false) }
      }
    }
  }
}

/// A deadline, and what waits for it.
private struct Limit {
  let time: Int64
  /// By index; 0: none.
  let timer: UInt32
  let executorIndex: UInt32

  static var none: Limit { Limit(time: .max, timer: 0, executorIndex: 0) }

  init(time: Int64, timer: UInt32, executorIndex: UInt32) {
    self.time = time
    self.timer = timer
    self.executorIndex = executorIndex
  }

  /// Starts the timer, which does not keep the token. Nil when memory has run out, or threads.
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
        CancelToken(cell).cancelWithoutInvalidating(reason)
        reason.release()
      }
    }
  }
}

extension CancelToken {
  /// In the token's fields, guarded by its lock.
  private var limit: Limit {
    get {
      unsafe Limit(
        time: Int64(bitPattern: ref.cell.pointee.value.bits), timer: ref.cell.pointee.value.box,
        executorIndex: ref.cell.pointee.next)
    }
    nonmutating set {
      unsafe ref.cell.pointee.value = unsafe CellValue(
        kind: ValueKind(rawValue: ref.cell.pointee.value.kind), bits: UInt64(bitPattern: newValue.time),
        box: newValue.timer)
      unsafe ref.cell.pointee.next = newValue.executorIndex
    }
  }

  /// A new token has none.
  func clearDeadline() { limit = .none }
}
