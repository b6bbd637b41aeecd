import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_executor_new(
  _ submit: (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Void)?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  guard let submit = unsafe submit else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  return unsafe made(CellExecutor.make(unsafeBitCast(submit, to: CellExecutor.Submit.self), context)?.ref)
}

@c @implementation
public func promise_executor_retain(_ executor: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(executor, .executor) else { return unsafe refusal(executor) }
  return promise_status_t(cell.retain() ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_executor_release(_ executor: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(executor, .executor) else { return unsafe refusal(executor) }
  cell.release()
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_job_run(_ job: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(job, .job), Job(cell).run() else { return unsafe refusal(job) }
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_job_drop(_ job: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(job, .job), Job(cell).drop() else { return unsafe refusal(job) }
  return promise_status_t(PROMISE_OK)
}
