import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_executor_new(
  _ submit: promise_submit_t?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  guard let submit = unsafe submit else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  let executor = unsafe CellExecutor.make(unsafeBitCast(submit, to: CellExecutor.Submit.self), context)
  return unsafe made(executor?.becomeHandle().ref)
}

@c @implementation
public func promise_executor_immediate() -> OpaquePointer? { unsafe made(CellExecutor.immediate?.ref) }

@c @implementation
public func promise_executor_global(_ priority: promise_priority_t) -> OpaquePointer? {
  guard let priority = PoolPriority(rawValue: Int(priority) - 1) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  return unsafe made(CellExecutor.global(priority)?.ref)
}

@c @implementation
public func promise_executor_serial(_ target: OpaquePointer?) -> OpaquePointer? {
  guard let target = unsafe target else {
    return unsafe made(CellExecutor.global(.standard).flatMap { CellExecutor.serial(on: $0) }?.becomeHandle().ref)
  }
  guard let found = unsafe resolve(target, .executor) else { return unsafe fail(promise_status_t(PROMISE_ESTALE)) }
  let executor = CellExecutor(found)
  guard executor.canTakeSerial else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  return unsafe made(CellExecutor.serial(on: executor)?.becomeHandle().ref)
}

@c @implementation
public func promise_executor_main() -> OpaquePointer? { unsafe made(CellExecutor.main?.ref) }

@c @implementation
public func promise_executor_set_main(_ executor: OpaquePointer?) -> promise_status_t {
  var other: CellExecutor?
  if let executor = unsafe executor {
    guard let found = unsafe resolve(executor, .executor) else { return promise_status_t(PROMISE_ESTALE) }
    guard CellExecutor(found).kind != .main else { return promise_status_t(PROMISE_EINVAL) }
    guard !CellExecutor(found).endsInMain else { return promise_status_t(PROMISE_EDEADLK) }
    other = CellExecutor(found)
  }
  return promise_status_t(CellExecutor.replaceMain(other) ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_is_main_thread() -> Bool { CellExecutor.isOnMainThread }

@c @implementation
public func promise_executor_submit(
  _ executor: OpaquePointer?, _ body: promise_callback_t?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> promise_status_t {
  let context = unsafe Context(ctx, free_ctx)
  let found = unsafe resolve(executor, .executor)
  guard let found, let body = unsafe body else {
    // Before the context is released, which may release the executor.
    let status = unsafe found == nil ? refusal(executor) : promise_status_t(PROMISE_EINVAL)
    context.release()
    return status
  }
  return unsafe promise_status_t(CellExecutor(found).run(body, context) ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_run(
  _ executor: OpaquePointer?, _ handler: promise_handler_t?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  var plan = Job.Plan()
  if let executor = unsafe executor {
    guard let found = unsafe resolve(executor, .executor) else {
      return unsafe fail(promise_status_t(PROMISE_ESTALE), context)
    }
    plan.executor = CellExecutor(found)
  }
  guard let handler = unsafe handler else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  unsafe plan.onFulfilled = unsafe unsafeBitCast(handler, to: UnsafeMutableRawPointer.self)
  guard let source = CellRef.promise() else { return unsafe fail(promise_status_t(PROMISE_ENOMEM), context) }
  _ = source.settle(.void, .fulfilled)
  defer { source.release() }
  return unsafe made(source.react(&plan, context))
}

@c @implementation
public func promise_executor_is_current(_ executor: OpaquePointer?) -> Int32 {
  guard let cell = unsafe resolve(executor, .executor) else { return unsafe refusal(executor) }
  return CellExecutor(cell).isCurrent ? 1 : 0
}

@c @implementation
public func promise_executor_retain(_ executor: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(executor, .executor) else { return unsafe refusal(executor) }
  return status(CellExecutor(cell).retainHandle())
}

@c @implementation
public func promise_executor_release(_ executor: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(executor, .executor) else { return unsafe refusal(executor) }
  return promise_status_t(CellExecutor(cell).releaseHandle() == .stale ? PROMISE_ESTALE : PROMISE_OK)
}

@c @implementation
public func promise_job_run(_ job: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(job, .job), Job(cell).run() == .taken else { return unsafe refusal(job) }
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_job_drop(_ job: OpaquePointer?) -> promise_status_t {
  guard let cell = unsafe resolve(job, .job), Job(cell).drop() == .taken else { return unsafe refusal(job) }
  return promise_status_t(PROMISE_OK)
}
