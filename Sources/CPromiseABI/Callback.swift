import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_then(
  _ promise: OpaquePointer?, _ on_fulfilled: promise_handler_t?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  guard let cell = unsafe resolve(promise) else { return unsafe fail(refusal(promise), context) }
  guard let on_fulfilled = unsafe on_fulfilled else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  guard Slab.hasFreeCell else { return unsafe thenAfterRefill(promise, on_fulfilled, ctx, free_ctx) }
  return unsafe made(new: cell.then(engineHandler(on_fulfilled), context))
}

@inline(never)
private func thenAfterRefill(
  _ promise: OpaquePointer?, _ on_fulfilled: promise_handler_t, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  unsafe Slab.provide()
    ? promise_then(promise, on_fulfilled, ctx, free_ctx)
    : fail(promise_status_t(PROMISE_ENOMEM), Context(ctx, free_ctx))
}

@c @implementation
public func promise_rescue(
  _ promise: OpaquePointer?, _ type: OpaquePointer?, _ on_rejected: promise_handler_t?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  guard let cell = unsafe resolve(promise) else { return unsafe fail(refusal(promise), context) }
  guard let on_rejected = unsafe on_rejected else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  var typeIndex: UInt32 = 0
  if let type = unsafe type {
    guard let found = unsafe resolve(type, .type) else { return unsafe fail(promise_status_t(PROMISE_ESTALE), context) }
    typeIndex = found.index
  }
  return unsafe made(cell.rescue(type: typeIndex, engineHandler(on_rejected), context))
}

@c @implementation
public func promise_observe(
  _ promise: OpaquePointer?,
  _ on_fulfilled: promise_observer_t?,
  _ on_rejected: promise_observer_t?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> promise_status_t {
  unsafe observe(promise, on_fulfilled, on_rejected, Context(ctx, free_ctx), .lasting)
}

private func observe(
  _ promise: OpaquePointer?,
  _ on_fulfilled: promise_observer_t?,
  _ on_rejected: promise_observer_t?,
  _ context: Context, _ interest: Interest
) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else {
    context.release()
    return unsafe refusal(promise)
  }
  let attached = unsafe cell.observe(
    unsafeBitCast(on_fulfilled, to: Observer?.self), unsafeBitCast(on_rejected, to: Observer?.self), context, interest)
  return promise_status_t(attached ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_react(
  _ promise: OpaquePointer?, _ reaction: UnsafePointer<promise_reaction_t>?
) -> OpaquePointer? {
  // The first version had all of today's fields: a smaller struct is garbage, its context included.
  guard let reaction = unsafe reaction, unsafe reaction.pointee.size >= UInt32(MemoryLayout<promise_reaction_t>.size)
  else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  let known = unsafe reaction.pointee
  let context = unsafe Context(known.ctx, known.free_ctx)
  guard let cell = unsafe resolve(promise) else { return unsafe fail(refusal(promise), context) }
  guard unsafe known.reserved == 0,
    unsafe known.on_fulfilled != nil || known.on_rejected != nil,
    unsafe isUnused(reaction, from: MemoryLayout<promise_reaction_t>.size, to: known.size)
  else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  var plan = Job.Plan()
  unsafe plan.onFulfilled = unsafe unsafeBitCast(known.on_fulfilled, to: UnsafeMutableRawPointer?.self)
  unsafe plan.onRejected = unsafe unsafeBitCast(known.on_rejected, to: UnsafeMutableRawPointer?.self)
  if let executor = unsafe known.executor {
    guard let found = unsafe resolve(executor, .executor) else {
      return unsafe fail(promise_status_t(PROMISE_ESTALE), context)
    }
    plan.executor = CellExecutor(found)
  }
  if let type = unsafe known.type {
    guard let found = unsafe resolve(type, .type) else { return unsafe fail(promise_status_t(PROMISE_ESTALE), context) }
    plan.type = found.index
  }
  guard let token = unsafe known.token else { return unsafe made(cell.react(&plan, context)) }
  guard let found = unsafe cancelToken(token) else { return unsafe fail(promise_status_t(PROMISE_ESTALE), context) }
  guard var guarded = TokenGuard.guarding(plan, context, by: found) else { return unsafe made(nil) }
  return unsafe made(cell.react(&guarded.0, guarded.1))
}

@c @implementation
public func promise_finally(
  _ promise: OpaquePointer?, _ handler: promise_callback_t?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  guard let cell = unsafe resolve(promise) else { return unsafe fail(refusal(promise), context) }
  guard let handler = unsafe handler else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  return unsafe made(cell.finally(handler, context))
}

@c @implementation
public func promise_tap(
  _ promise: OpaquePointer?,
  _ on_fulfilled: promise_observer_t?,
  _ on_rejected: promise_observer_t?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> promise_status_t {
  unsafe observe(promise, on_fulfilled, on_rejected, Context(ctx, free_ctx), .none)
}

@c @implementation
public func promise_follow(_ promise: OpaquePointer?, _ source: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  guard let followed = unsafe resolve(source) else { return unsafe refusal(source) }
  switch cell.follow(followed) {
  case .follows: return promise_status_t(PROMISE_OK)
  case .isSettled: return promise_status_t(PROMISE_ESETTLED)
  case .cycle: return promise_status_t(PROMISE_EDEADLK)
  case .isTaken: return promise_status_t(PROMISE_EINVAL)
  case .outOfMemory: return promise_status_t(PROMISE_ENOMEM)
  }
}
