import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_set_hooks(_ hooks: UnsafePointer<promise_hooks_t>?) -> promise_status_t {
  guard let hooks = unsafe hooks else {
    _ = unsafe Hooks.replace(nil, Context(nil, nil))
    return promise_status_t(PROMISE_OK)
  }
  // The first version had all of today's fields, so a smaller one cannot be told from garbage, its context included.
  guard unsafe hooks.pointee.size >= UInt32(MemoryLayout<promise_hooks_t>.size) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  let known = unsafe hooks.pointee
  let context = unsafe Context(known.ctx, known.free_ctx)
  var engine = Hooks()
  unsafe engine.unhandledRejection = unsafe unsafeBitCast(
    known.unhandled_rejection, to: Hooks.UnhandledRejection?.self)
  unsafe engine.secondSettlement = unsafe unsafeBitCast(known.settled_again, to: Hooks.SecondSettlement?.self)
  unsafe engine.lostPromise = unsafe known.dropped_pending
  guard unsafe known.reserved == 0, !engine.isEmpty,
    unsafe isUnused(hooks, from: MemoryLayout<promise_hooks_t>.size, to: known.size)
  else {
    context.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  return promise_status_t(Hooks.replace(engine, context) ? PROMISE_OK : PROMISE_ENOMEM)
}
