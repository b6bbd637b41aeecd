import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

/// The loop that a handle means, if it means one.
@inline(__always)
private func resolve(loop: OpaquePointer?) -> CellLoop? {
  unsafe token(loop).cell(.loop).map { CellLoop($0) }
}

/// The status for how a run ended; nil: what it waited for has happened.
private func status(_ end: EventLoop.End?) -> promise_status_t {
  switch end {
  case nil, .stopped: promise_status_t(PROMISE_OK)
  case .timedOut: promise_status_t(PROMISE_ETIMEDOUT)
  case .closed: promise_status_t(PROMISE_ECLOSED)
  case .nested: promise_status_t(PROMISE_EDEADLK)
  case .busy: promise_status_t(PROMISE_EINVAL)
  case .noMemory: promise_status_t(PROMISE_ENOMEM)
  }
}

@c @implementation
public func promise_loop_new() -> OpaquePointer? { unsafe made(CellLoop.make()?.ref) }

@c @implementation
public func promise_loop_main() -> OpaquePointer? { unsafe made(CellLoop.main?.ref) }

@c @implementation
public func promise_loop_free(_ loop: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe resolve(loop: loop) else { return unsafe refusal(loop) }
  guard !found.isMain else { return promise_status_t(PROMISE_EINVAL) }
  found.free()
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_loop_fd(_ loop: OpaquePointer?) -> Int32 {
  guard let found = unsafe resolve(loop: loop) else { return unsafe refusal(loop) }
  return found.descriptor
}

@c @implementation
public func promise_loop_executor(_ loop: OpaquePointer?) -> OpaquePointer? {
  guard let found = unsafe resolve(loop: loop) else { return unsafe fail(refusal(loop)) }
  guard found.isMain || found.executor.ref.retain() else { return unsafe fail(promise_status_t(PROMISE_ENOMEM)) }
  return unsafe handle(found.executor.ref)
}

@c @implementation
public func promise_loop_run(_ loop: OpaquePointer?, _ timeout_ns: Int64) -> promise_status_t {
  guard let found = unsafe resolve(loop: loop) else { return unsafe refusal(loop) }
  return status(found.run(nanoseconds: timeout_ns))
}

@c @implementation
public func promise_loop_run_once(_ loop: OpaquePointer?) -> Int64 {
  guard let found = unsafe resolve(loop: loop) else { return Int64(unsafe refusal(loop)) }
  let (count, refusal) = found.runOnce()
  return refusal.map { Int64(status($0)) } ?? Int64(count)
}

@c @implementation
public func promise_loop_wait(
  _ loop: OpaquePointer?, _ promise: OpaquePointer?, _ timeout_ns: Int64
) -> promise_status_t {
  guard let found = unsafe resolve(loop: loop) else { return unsafe refusal(loop) }
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  guard cell.retain() else { return promise_status_t(PROMISE_ENOMEM) }
  defer { cell.release() }
  let end = found.run(until: cell, nanoseconds: timeout_ns)
  // It may have been stopped for another reason than this one.
  return end == .stopped ? promise_status_t(PROMISE_EPENDING) : status(end)
}

@c @implementation
public func promise_loop_stop(_ loop: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe resolve(loop: loop) else { return unsafe refusal(loop) }
  found.stop()
  return promise_status_t(PROMISE_OK)
}
