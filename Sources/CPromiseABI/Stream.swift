import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

/// Returns the publisher of a handle.
func resolvePublisher(_ handle: OpaquePointer?) -> CellPublisher? {
  guard let cell = unsafe token(handle).cell(.publisher) else { return nil }
  let found = CellPublisher(cell)
  return found.hasHandles ? found : nil
}

@c @implementation
public func promise_publisher_new(_ flags: UInt32) -> OpaquePointer? {
  guard flags & ~UInt32(PROMISE_PUBLISHER_STATEFUL) == 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  return unsafe made(CellPublisher.make(isStateful: flags != 0)?.ref)
}

@c @implementation
public func promise_publisher_every(_ executor: OpaquePointer?, _ interval_ns: Int64) -> OpaquePointer? {
  guard interval_ns > 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard let executor = unsafe executor else {
    return unsafe made(CellPublisher.every(nanoseconds: interval_ns, on: nil)?.ref)
  }
  guard let found = unsafe resolve(executor, .executor) else { return unsafe fail(promise_status_t(PROMISE_ESTALE)) }
  return unsafe made(CellPublisher.every(nanoseconds: interval_ns, on: CellExecutor(found))?.ref)
}

@c @implementation
public func promise_publisher_retain(_ publisher: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe resolvePublisher(publisher) else { return unsafe refusal(publisher) }
  return status(found.retainHandle())
}

@c @implementation
public func promise_publisher_release(_ publisher: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe resolvePublisher(publisher) else { return unsafe refusal(publisher) }
  found.releaseHandle()
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_publisher_publish(_ publisher: OpaquePointer?, _ value: UnsafePointer<promise_value_t>?)
  -> promise_status_t
{
  unsafe publish(publisher, value, .fulfilled)
}

@c @implementation
public func promise_publisher_publish_error(_ publisher: OpaquePointer?, _ reason: UnsafePointer<promise_value_t>?)
  -> promise_status_t
{
  unsafe publish(publisher, reason, .rejected)
}

private func publish(_ publisher: OpaquePointer?, _ value: UnsafePointer<promise_value_t>?, _ outcome: Outcome)
  -> promise_status_t
{
  unsafe taking(value, for: publisher) { publisher, value in
    switch publisher.publish(StreamEvent(value, outcome)) {
    case .published: promise_status_t(PROMISE_OK)
    case .full: promise_status_t(PROMISE_EFULL)
    case .ended: promise_status_t(PROMISE_ESETTLED)
    }
  }
}

/// Calls the body with a publisher and a value. Takes over the value on every path.
private func taking(
  _ value: UnsafePointer<promise_value_t>?, for publisher: OpaquePointer?,
  _ body: (CellPublisher, CellValue) -> promise_status_t
) -> promise_status_t {
  guard let value = unsafe value else {
    return unsafe resolvePublisher(publisher) == nil ? refusal(publisher) : promise_status_t(PROMISE_EINVAL)
  }
  guard let taken = unsafe take(value) else { return promise_status_t(PROMISE_EINVAL) }
  guard let found = unsafe resolvePublisher(publisher) else {
    taken.release()
    return unsafe refusal(publisher)
  }
  guard !found.isDerived else {
    taken.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  return body(found, taken)
}

@c @implementation
public func promise_publisher_finish(_ publisher: OpaquePointer?) -> promise_status_t {
  unsafe end(publisher, .finished)
}

@c @implementation
public func promise_publisher_fail(_ publisher: OpaquePointer?, _ reason: UnsafePointer<promise_value_t>?)
  -> promise_status_t
{
  unsafe taking(reason, for: publisher) { publisher, reason in
    promise_status_t(publisher.end(.failed(reason)) ? PROMISE_OK : PROMISE_ESETTLED)
  }
}

@c @implementation
public func promise_publisher_cancel(_ publisher: OpaquePointer?) -> promise_status_t {
  unsafe end(publisher, .cancelled)
}

private func end(_ publisher: OpaquePointer?, _ ending: StreamEnding) -> promise_status_t {
  guard let found = unsafe resolvePublisher(publisher) else { return unsafe refusal(publisher) }
  guard !found.isDerived else { return promise_status_t(PROMISE_EINVAL) }
  return promise_status_t(found.end(ending) ? PROMISE_OK : PROMISE_ESETTLED)
}

@c @implementation
public func promise_publisher_state(_ publisher: OpaquePointer?) -> promise_state_t {
  guard let found = unsafe resolvePublisher(publisher) else { return unsafe refusal(publisher) }
  guard let isFinished = found.hasFinished else { return promise_state_t(PROMISE_PENDING) }
  return promise_state_t(isFinished ? PROMISE_FULFILLED : PROMISE_REJECTED)
}

@c @implementation
public func promise_publisher_latest(_ publisher: OpaquePointer?, _ out: UnsafeMutablePointer<promise_value_t>?)
  -> promise_state_t
{
  guard let out = unsafe out else { return promise_state_t(PROMISE_EINVAL) }
  unsafe CellValue.void.store(out)
  guard let found = unsafe resolvePublisher(publisher) else { return unsafe refusal(publisher) }
  switch found.latest {
  case .none: return promise_state_t(PROMISE_PENDING)
  case .tooManyReferences: return promise_state_t(PROMISE_ENOMEM)
  case .event(let latest):
    unsafe latest.value.store(out)
    return promise_state_t(latest.outcome.isRejected ? PROMISE_REJECTED : PROMISE_FULFILLED)
  }
}

@c @implementation
public func promise_publisher_count(_ publisher: OpaquePointer?) -> Int64 {
  guard let found = unsafe resolvePublisher(publisher) else { return Int64(unsafe refusal(publisher)) }
  return Int64(found.receiverCount)
}

@c @implementation
public func promise_publisher_ready(_ publisher: OpaquePointer?) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(publisher) else { return unsafe fail(refusal(publisher)) }
  return unsafe made(found.ready())
}
