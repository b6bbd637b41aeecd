import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_new() -> OpaquePointer? {
  guard Slab.hasFreeCell else { return unsafe newAfterRefill() }
  return unsafe made(new: CellRef.newPromise())
}

@inline(never)
private func newAfterRefill() -> OpaquePointer? {
  unsafe Slab.provide() ? promise_new() : fail(promise_status_t(PROMISE_ENOMEM))
}

@c @implementation
public func promise_new_resolved(_ value: UnsafePointer<promise_value_t>?) -> OpaquePointer? {
  unsafe settled(value, .fulfilled)
}

@c @implementation
public func promise_new_rejected(_ reason: UnsafePointer<promise_value_t>?) -> OpaquePointer? {
  unsafe settled(reason, .rejected)
}

/// Makes a settled promise. Takes over the value on every path.
private func settled(_ value: UnsafePointer<promise_value_t>?, _ outcome: Outcome) -> OpaquePointer? {
  guard let taken = unsafe value.flatMap(take) else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard let promise = CellRef.promise() else {
    taken.release()
    return unsafe made(nil)
  }
  _ = promise.settle(taken, outcome)
  return unsafe handle(promise)
}

@c @implementation
public func promise_new_discardable(
  _ on_discard: promise_callback_t?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  unsafe made(CellRef.discardable(on_discard, Context(ctx, free_ctx)))
}

@c @implementation
public func promise_retain(_ promise: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  return promise_status_t(cell.retain() ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_release(_ promise: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  return cell.releaseSettledAlone() ? promise_status_t(PROMISE_OK) : releaseHandle(of: cell)
}

/// Releases a reference of the program to a promise.
@inline(never)
func releaseHandle(of cell: CellRef) -> promise_status_t {
  promise_status_t(cell.releaseHandleOfPromise() == .stale ? PROMISE_ESTALE : PROMISE_OK)
}

@c @implementation
public func promise_resolve(_ promise: OpaquePointer?, _ value: UnsafePointer<promise_value_t>?) -> promise_status_t {
  unsafe settle(promise, value, .fulfilled)
}

@c @implementation
public func promise_resolve_many(
  _ promises: UnsafePointer<OpaquePointer?>?, _ values: UnsafePointer<promise_value_t>?, _ count: Int,
  _ statuses: UnsafeMutablePointer<promise_status_t>?
) -> promise_status_t {
  // Without arrays there is nothing to settle, to release or to report.
  let hasArray = unsafe promises != nil || values != nil || statuses != nil
  guard unsafe isArrayCount(count, of: promise_value_t.self), hasArray || count == 0 else {
    return promise_status_t(PROMISE_EINVAL)
  }
  var first = promise_status_t(PROMISE_OK)
  for position in 0..<count {
    let value = unsafe values.map { unsafe $0 + position }
    let status = unsafe settle(promises?[position], value, .fulfilled)
    unsafe statuses?[position] = status
    if first == promise_status_t(PROMISE_OK) { first = status }
  }
  return first
}

@c @implementation
public func promise_reject(_ promise: OpaquePointer?, _ reason: UnsafePointer<promise_value_t>?) -> promise_status_t {
  unsafe settle(promise, reason, .rejected)
}

/// Settles a promise. Takes over the value on every path.
@inline(__always)
private func settle(
  _ promise: OpaquePointer?, _ value: UnsafePointer<promise_value_t>?, _ outcome: Outcome
) -> promise_status_t {
  guard let given = unsafe value, case let taken = unsafe CellValue(given), taken.isScalar,
    let cell = unsafe resolve(promise)
  else { return unsafe settleChecking(promise, value, outcome) }
  return cell.settle(taken, outcome, reports: true).rawValue
}

/// Settles a promise through a handle that may be stale, with a value that may own memory or be malformed.
@inline(never)
private func settleChecking(
  _ promise: OpaquePointer?, _ value: UnsafePointer<promise_value_t>?, _ outcome: Outcome
) -> promise_status_t {
  guard let value = unsafe value else { return promise_status_t(PROMISE_EINVAL) }
  let taken = unsafe CellValue(value)
  guard unsafe taken.isPlain || isAcceptable(taken, for: promise) else { return promise_status_t(PROMISE_EINVAL) }
  guard let cell = unsafe resolve(promise) else {
    taken.release()
    return unsafe refusal(promise)
  }
  return cell.settle(taken, outcome, reports: true).rawValue
}

/// Whether the promise may hold the value. If not, releases the value's reference.
@inline(never)
private func isAcceptable(_ value: CellValue, for promise: OpaquePointer?) -> Bool {
  guard value.isWellFormed else { return false }
  guard value.kind == ValueKind.promise.rawValue, unsafe resolve(promise) == Token(bits: value.bits).cell(.promise)
  else { return true }
  // A promise that held itself would never be destroyed.
  value.release()
  return false
}

@c @implementation
public func promise_discard(_ promise: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  return cell.discard().rawValue
}

@c @implementation
public func promise_discard_with(
  _ promise: OpaquePointer?, _ cause: UnsafePointer<promise_value_t>?
) -> promise_status_t {
  guard let cause = unsafe cause else { return unsafe promise_discard(promise) }
  let taken = unsafe take(cause)
  guard let cell = unsafe resolve(promise) else {
    taken?.release()
    return unsafe refusal(promise)
  }
  guard let taken, unsafe isAcceptable(taken, for: promise) else { return promise_status_t(PROMISE_EINVAL) }
  let reason = CellValue.discarded(because: taken)
  guard reason.isOwning else { return promise_status_t(PROMISE_ENOMEM) }
  return cell.discard(reason).rawValue
}

@c @implementation
public func promise_state(_ promise: OpaquePointer?) -> promise_state_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  let state = cell.seenState
  return promise_state_t(
    !state.isSettled ? PROMISE_PENDING : state.isRejected ? PROMISE_REJECTED : PROMISE_FULFILLED)
}

@c @implementation
public func promise_result(
  _ promise: OpaquePointer?, _ out: UnsafeMutablePointer<promise_value_t>?
) -> promise_status_t {
  guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
  unsafe CellValue.void.store(out)
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  guard cell.seenState.isSettled else { return promise_status_t(PROMISE_EPENDING) }
  let value = cell.value
  guard value.retain() else { return promise_status_t(PROMISE_ENOMEM) }
  unsafe value.store(out)
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_wait(_ promise: OpaquePointer?, _ timeout_ns: Int64) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  return status(cell.wait(nanoseconds: timeout_ns))
}

@c @implementation
public func promise_wait_interruptible(_ promise: OpaquePointer?, _ timeout_ns: Int64) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  return status(cell.wait(nanoseconds: timeout_ns, isInterruptible: true))
}

@c @implementation
public func promise_wait_any(
  _ promises: UnsafePointer<OpaquePointer?>?, _ count: Int, _ timeout_ns: Int64, _ index: UnsafeMutablePointer<Int>?
) -> promise_status_t {
  guard let promises = unsafe promises, count != 0, unsafe isArrayCount(count, of: OpaquePointer.self) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  /// Releases the first `count` references.
  func released(_ count: Int, _ end: promise_status_t) -> promise_status_t {
    for position in 0..<count { unsafe resolve(promises[position])?.release() }
    return end
  }
  for position in 0..<count {
    guard let cell = unsafe resolve(promises[position]) else {
      unsafe index?.pointee = position
      return unsafe released(position, refusal(promises[position]))
    }
    guard cell.retain() else { return released(position, promise_status_t(PROMISE_ENOMEM)) }
  }
  let end = CellRef.waitAny(
    { unsafe resolve(promises[$0]).unsafelyUnwrapped }, count: count, nanoseconds: timeout_ns)
  guard let end else { return released(count, promise_status_t(PROMISE_ENOMEM)) }
  if end.result == .settled { unsafe index?.pointee = end.index }
  return released(count, status(end.result))
}

/// Returns the status for the end of a wait.
private func status(_ result: WaitResult) -> promise_status_t {
  switch result {
  case .settled: promise_status_t(PROMISE_OK)
  case .timedOut: promise_status_t(PROMISE_ETIMEDOUT)
  case .deadlock: promise_status_t(PROMISE_EDEADLK)
  case .interrupted: promise_status_t(PROMISE_EINTR)
  }
}
