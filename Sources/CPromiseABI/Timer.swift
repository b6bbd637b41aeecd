import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_sleep(_ ns: Int64) -> OpaquePointer? { unsafe promise_sleep_on(nil, ns) }

@c @implementation
public func promise_sleep_on(_ executor: OpaquePointer?, _ ns: Int64) -> OpaquePointer? {
  guard ns >= 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard let executor = unsafe executor else { return unsafe made(CellRef.sleep(nanoseconds: ns)) }
  guard let found = unsafe resolve(executor, .executor) else { return unsafe fail(promise_status_t(PROMISE_ESTALE)) }
  return unsafe made(CellRef.sleep(nanoseconds: ns, on: CellExecutor(found)))
}
