import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_publisher_debounce(_ executor: OpaquePointer?, _ source: OpaquePointer?, _ interval_ns: Int64)
  -> OpaquePointer?
{
  unsafe paced(executor, source, interval_ns, .debounce)
}

@c @implementation
public func promise_publisher_throttle(
  _ executor: OpaquePointer?, _ source: OpaquePointer?, _ interval_ns: Int64, _ flags: UInt32
) -> OpaquePointer? {
  guard flags & ~UInt32(PROMISE_THROTTLE_FIRST) == 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  return unsafe paced(executor, source, interval_ns, flags == 0 ? .throttle : .throttleFirst)
}

@c @implementation
public func promise_publisher_timeout(_ executor: OpaquePointer?, _ source: OpaquePointer?, _ interval_ns: Int64)
  -> OpaquePointer?
{
  unsafe paced(executor, source, interval_ns, .timeout)
}

private func paced(
  _ executor: OpaquePointer?, _ source: OpaquePointer?, _ interval_ns: Int64, _ kind: PacingKind
) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  guard interval_ns > 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard let executor = unsafe executor else {
    return unsafe made(found.paced(kind, nanoseconds: interval_ns, on: .system(nil))?.ref)
  }
  guard let place = unsafe resolve(executor, .executor) else { return unsafe fail(promise_status_t(PROMISE_ESTALE)) }
  return unsafe made(found.paced(kind, nanoseconds: interval_ns, on: .system(CellExecutor(place)))?.ref)
}
