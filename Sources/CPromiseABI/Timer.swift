import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_now() -> Int64 { platform_now() }

@c @implementation
public func promise_sleep(_ ns: Int64) -> OpaquePointer? { unsafe promise_sleep_on(nil, ns) }

@c @implementation
public func promise_sleep_on(_ executor: OpaquePointer?, _ ns: Int64) -> OpaquePointer? {
  guard ns >= 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard let executor = unsafe executor else { return unsafe made(CellRef.sleep(nanoseconds: ns)) }
  guard let found = unsafe resolve(executor, .executor) else { return unsafe fail(promise_status_t(PROMISE_ESTALE)) }
  return unsafe made(CellRef.sleep(nanoseconds: ns, on: CellExecutor(found)))
}

@c @implementation
public func promise_delay(_ promise: OpaquePointer?, _ ns: Int64) -> OpaquePointer? {
  unsafe promise_delay_on(nil, promise, ns)
}

@c @implementation
public func promise_delay_on(_ executor: OpaquePointer?, _ promise: OpaquePointer?, _ ns: Int64) -> OpaquePointer? {
  unsafe timed(executor, promise, ns) { $0.delay(nanoseconds: ns, on: $1) }
}

@c @implementation
public func promise_timeout(_ promise: OpaquePointer?, _ ns: Int64) -> OpaquePointer? {
  unsafe promise_timeout_on(nil, promise, ns)
}

@c @implementation
public func promise_timeout_on(_ executor: OpaquePointer?, _ promise: OpaquePointer?, _ ns: Int64) -> OpaquePointer? {
  unsafe timed(executor, promise, ns) { $0.timeout(nanoseconds: ns, on: $1) }
}

/// Makes a promise from a source and a duration.
private func timed(
  _ executor: OpaquePointer?, _ promise: OpaquePointer?, _ ns: Int64, _ make: (CellRef, CellExecutor?) -> CellRef?
) -> OpaquePointer? {
  guard let cell = unsafe resolve(promise) else { return unsafe fail(refusal(promise)) }
  guard ns >= 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard let executor = unsafe executor else { return unsafe made(make(cell, nil)) }
  guard let found = unsafe resolve(executor, .executor) else { return unsafe fail(promise_status_t(PROMISE_ESTALE)) }
  return unsafe made(make(cell, CellExecutor(found)))
}
