import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_request_cancel(_ promise: OpaquePointer?, _ reason: UnsafePointer<promise_value_t>?)
  -> promise_status_t
{
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  guard let reason = unsafe cancelReason(reason) else { return promise_status_t(PROMISE_EINVAL) }
  if cell.state.isSettled { return promise_status_t(PROMISE_ESETTLED) }
  cell.requestCancel(reason)
  return promise_status_t(PROMISE_OK)
}

/// Returns the reason of a request, VOID for NULL; nil if it is malformed.
private func cancelReason(_ reason: UnsafePointer<promise_value_t>?) -> CellValue? {
  guard let reason = unsafe reason else { return .void }
  let value = unsafe CellValue(reason)
  return value.isWellFormed ? value : nil
}

@c @implementation
public func promise_cancel_requested(_ promise: OpaquePointer?) -> Int32 {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  return cell.isCancelRequested ? 1 : 0
}

@c @implementation
public func promise_on_cancel_request(
  _ promise: OpaquePointer?,
  _ handler: promise_observer_t?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> promise_status_t {
  let context = unsafe Context(ctx, free_ctx)
  guard let cell = unsafe resolve(promise) else {
    context.release()
    return unsafe refusal(promise)
  }
  guard let handler = unsafe handler else {
    context.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  let attached = unsafe cell.onCancelRequest(unsafeBitCast(handler, to: Observer.self), context)
  return promise_status_t(attached ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_seal(_ promise: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  cell.seal()
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_value_discarded(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ cause: UnsafePointer<promise_value_t>?
) -> promise_status_t {
  // Read before `*out` is written: both may be the same place.
  let cause = unsafe cause.map { unsafe CellValue($0) }
  if let out = unsafe out { unsafe CellValue.void.store(out) }
  guard let cause, cause.isWellFormed else { return promise_status_t(PROMISE_EINVAL) }
  guard let out = unsafe out else {
    cause.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  let discarded = CellValue.discarded(because: cause)
  guard !discarded.isPlain else { return promise_status_t(PROMISE_ENOMEM) }
  unsafe discarded.store(out)
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_token_new(_ flags: UInt32) -> OpaquePointer? {
  guard flags & ~UInt32(PROMISE_TOKEN_INVALIDATE_ON_RELEASE) == 0 else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  return unsafe made(CancelToken.make(invalidatesWhenDropped: flags != 0)?.ref)
}

/// Returns the token of a handle; nil if the last handle was released.
func cancelToken(_ handle: OpaquePointer?) -> CancelToken? {
  guard let cell = unsafe token(handle).cell(.cancelToken) else { return nil }
  let found = CancelToken(cell)
  return found.hasHandles ? found : nil
}

@c @implementation
public func promise_token_retain(_ token: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  return status(found.retainHandle())
}

@c @implementation
public func promise_token_release(_ token: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  found.releaseHandle()
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_token_invalidate(_ token: OpaquePointer?, _ reason: UnsafePointer<promise_value_t>?)
  -> promise_status_t
{
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  guard let reason = unsafe cancelReason(reason) else { return promise_status_t(PROMISE_EINVAL) }
  return promise_status_t(found.invalidate(reason) == .complete ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_token_cancel(_ token: OpaquePointer?, _ reason: UnsafePointer<promise_value_t>?)
  -> promise_status_t
{
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  guard let reason = unsafe cancelReason(reason) else { return promise_status_t(PROMISE_EINVAL) }
  return promise_status_t(found.cancelWithoutInvalidating(reason) == .complete ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_token_add(_ token: OpaquePointer?, _ promise: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  return promise_status_t(found.add(cell) ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_token_chain(_ token: OpaquePointer?, _ parent: OpaquePointer?, _ flags: UInt32)
  -> promise_status_t
{
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  guard let above = unsafe cancelToken(parent) else { return unsafe refusal(parent) }
  guard flags & ~UInt32(PROMISE_CHAIN_CANCEL) == 0 else { return promise_status_t(PROMISE_EINVAL) }
  switch found.chain(to: above, includingCancel: flags != 0) {
  case .chained: return promise_status_t(PROMISE_OK)
  case .cycle: return promise_status_t(PROMISE_EDEADLK)
  case .outOfMemory: return promise_status_t(PROMISE_ENOMEM)
  }
}

@c @implementation
public func promise_token_is_cancelled(_ token: OpaquePointer?) -> Int32 {
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  return found.isCancelled ? 1 : 0
}

@c @implementation
public func promise_token_generation(_ token: OpaquePointer?) -> Int64 {
  guard let found = unsafe cancelToken(token) else { return Int64(unsafe refusal(token)) }
  return Int64(found.generation)
}

@c @implementation
public func promise_token_set_deadline(_ token: OpaquePointer?, _ executor: OpaquePointer?, _ deadline_ns: Int64)
  -> promise_status_t
{
  guard let found = unsafe cancelToken(token) else { return unsafe refusal(token) }
  guard deadline_ns >= 0 else { return promise_status_t(PROMISE_EINVAL) }
  var place: CellExecutor?
  if let executor = unsafe executor {
    guard let cell = unsafe resolve(executor, .executor) else { return promise_status_t(PROMISE_ESTALE) }
    place = CellExecutor(cell)
  }
  return promise_status_t(found.cancel(at: deadline_ns, on: place) ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_token_deadline(_ token: OpaquePointer?) -> Int64 {
  guard let found = unsafe cancelToken(token) else { return Int64(unsafe refusal(token)) }
  return found.deadline
}
