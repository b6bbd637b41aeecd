import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

/// Calls the body with the loop of a handle. The loop stays alive meanwhile, even if another thread releases the last
/// handle.
@inline(__always)
private func pinning<Result>(
  _ handle: OpaquePointer?, otherwise: (promise_status_t) -> Result, _ body: (CellLoop) -> Result
) -> Result {
  guard let cell = unsafe token(handle).pinned(.loop) else { return otherwise(unsafe refusal(handle)) }
  defer { cell.release() }
  return body(CellLoop(cell))
}

private func pinning(_ handle: OpaquePointer?, _ body: (CellLoop) -> promise_status_t) -> promise_status_t {
  unsafe pinning(handle, otherwise: { $0 }, body)
}

/// Returns the status for the end of a run; nil means that the condition it waited for was met.
private func status(_ end: EventLoop.End?) -> promise_status_t {
  switch end {
  case nil, .stopped: promise_status_t(PROMISE_OK)
  case .timedOut: promise_status_t(PROMISE_ETIMEDOUT)
  case .closed: promise_status_t(PROMISE_ECLOSED)
  case .nested: promise_status_t(PROMISE_EDEADLK)
  case .busy: promise_status_t(PROMISE_EBUSY)
  case .noMemory: promise_status_t(PROMISE_ENOMEM)
  }
}

@c @implementation
public func promise_loop_new() -> OpaquePointer? { unsafe made(CellLoop.make()?.ref) }

@c @implementation
public func promise_loop_main() -> OpaquePointer? { unsafe made(CellLoop.main?.ref) }

@c @implementation
public func promise_loop_retain(_ loop: OpaquePointer?) -> promise_status_t {
  unsafe pinning(loop) { status($0.retainHandle()) }
}

@c @implementation
public func promise_loop_release(_ loop: OpaquePointer?) -> promise_status_t {
  unsafe pinning(loop) {
    $0.releaseHandle()
    return promise_status_t(PROMISE_OK)
  }
}

@c @implementation
public func promise_loop_fd(_ loop: OpaquePointer?) -> Int32 {
  unsafe pinning(loop) { found in
    let descriptor = found.descriptor
    return descriptor < 0 ? promise_status_t(PROMISE_ECLOSED) : descriptor
  }
}

@c @implementation
public func promise_loop_executor(_ loop: OpaquePointer?) -> OpaquePointer? {
  unsafe pinning(loop, otherwise: { unsafe fail($0) }) { found in
    guard found.isMain || found.executor.ref.retain() else { return unsafe fail(promise_status_t(PROMISE_ENOMEM)) }
    return unsafe handle(found.executor.becomeHandle().ref)
  }
}

@c @implementation
public func promise_loop_is_current(_ loop: OpaquePointer?) -> Int32 { unsafe pinning(loop) { $0.isCurrent ? 1 : 0 } }

@c @implementation
public func promise_loop_run(_ loop: OpaquePointer?, _ timeout_ns: Int64) -> promise_status_t {
  unsafe pinning(loop) { status($0.run(nanoseconds: timeout_ns)) }
}

@c @implementation
public func promise_loop_run_once(_ loop: OpaquePointer?) -> Int64 {
  unsafe pinning(loop, otherwise: { Int64($0) }) { found in
    let (count, refusal) = found.runOnce()
    return refusal.map { Int64(status($0)) } ?? Int64(count)
  }
}

@c @implementation
public func promise_loop_wait(
  _ loop: OpaquePointer?, _ promise: OpaquePointer?, _ timeout_ns: Int64
) -> promise_status_t {
  unsafe pinning(loop) { found in
    guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
    guard cell.retain() else { return promise_status_t(PROMISE_ENOMEM) }
    defer { cell.release() }
    let end = found.run(until: cell, nanoseconds: timeout_ns)
    // Another caller may have stopped the run.
    return end == .stopped ? promise_status_t(PROMISE_EPENDING) : status(end)
  }
}

@c @implementation
public func promise_loop_stop(_ loop: OpaquePointer?) -> promise_status_t {
  unsafe pinning(loop) {
    $0.stop()
    return promise_status_t(PROMISE_OK)
  }
}
