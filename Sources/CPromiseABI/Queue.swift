import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

/// Calls the body with the queue of a handle. The queue stays alive meanwhile, even if another thread releases the last
/// handle.
@inline(__always)
private func pinning<Result>(
  _ handle: OpaquePointer?, otherwise: (promise_status_t) -> Result, _ body: (CompletionQueue) -> Result
) -> Result {
  guard let cell = unsafe token(handle).pinned(.queue) else { return otherwise(unsafe refusal(handle)) }
  defer { cell.release() }
  return body(CompletionQueue(cell))
}

@inline(__always)
private func pinning(_ handle: OpaquePointer?, _ body: (CompletionQueue) -> promise_status_t) -> promise_status_t {
  unsafe pinning(handle, otherwise: { $0 }, body)
}

private func status(_ added: CompletionQueue.Added) -> promise_status_t {
  switch added {
  case .added: promise_status_t(PROMISE_OK)
  case .closed: promise_status_t(PROMISE_ECLOSED)
  case .outOfMemory: promise_status_t(PROMISE_ENOMEM)
  }
}

@c @implementation
public func promise_queue_new() -> OpaquePointer? { unsafe made(CompletionQueue.make()?.ref) }

@c @implementation
public func promise_queue_retain(_ queue: OpaquePointer?) -> promise_status_t {
  unsafe pinning(queue) { status($0.retainHandle()) }
}

@c @implementation
public func promise_queue_release(_ queue: OpaquePointer?) -> promise_status_t {
  unsafe pinning(queue) {
    $0.releaseHandle()
    return promise_status_t(PROMISE_OK)
  }
}

@c @implementation
public func promise_queue_free(_ queue: OpaquePointer?) -> promise_status_t {
  unsafe pinning(queue) {
    $0.close()
    $0.releaseHandle()
    return promise_status_t(PROMISE_OK)
  }
}

@c @implementation
public func promise_queue_fd(_ queue: OpaquePointer?) -> Int32 {
  unsafe pinning(queue) {
    switch $0.descriptor {
    case .file(let descriptor): descriptor
    case .closed: promise_status_t(PROMISE_ECLOSED)
    case .outOfMemory: promise_status_t(PROMISE_ENOMEM)
    }
  }
}

@c @implementation
public func promise_queue_watch(_ queue: OpaquePointer?, _ promise: OpaquePointer?, _ tag: UInt64) -> promise_status_t {
  unsafe watch(queue, promise, tag, .counted)
}

@c @implementation
public func promise_queue_tap(_ queue: OpaquePointer?, _ promise: OpaquePointer?, _ tag: UInt64) -> promise_status_t {
  unsafe watch(queue, promise, tag, .none)
}

@inline(__always)
private func watch(_ queue: OpaquePointer?, _ promise: OpaquePointer?, _ tag: UInt64, _ interest: Interest)
  -> promise_status_t
{
  unsafe pinning(queue) { found in
    guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
    return status(found.watch(cell, tag: tag, interest: interest))
  }
}

@c @implementation
public func promise_queue_unwatch(_ queue: OpaquePointer?, _ tag: UInt64) -> Int64 {
  unsafe pinning(queue, otherwise: { Int64($0) }) {
    $0.unwatch(tag: tag).map { Int64($0) } ?? Int64(PROMISE_ECLOSED)
  }
}

@c @implementation
public func promise_queue_then(_ queue: OpaquePointer?, _ source: OpaquePointer?, _ tag: UInt64) -> OpaquePointer? {
  unsafe pinning(queue, otherwise: { unsafe fail($0) }) { found in
    guard let cell = unsafe resolve(source) else { return unsafe fail(refusal(source)) }
    let (promise, added) = found.then(cell, tag: tag)
    guard let promise else { return unsafe fail(status(added)) }
    return unsafe handle(promise)
  }
}

@c @implementation
public func promise_queue_on_cancel(_ queue: OpaquePointer?, _ promise: OpaquePointer?, _ tag: UInt64)
  -> promise_status_t
{
  unsafe pinning(queue) { found in
    guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
    return status(found.onCancel(cell, tag: tag))
  }
}

@c @implementation
public func promise_queue_object(
  _ queue: OpaquePointer?, _ out: UnsafeMutablePointer<promise_value_t>?, _ type: OpaquePointer?, _ tag: UInt64
) -> promise_status_t {
  if let out = unsafe out { unsafe CellValue.void.store(out) }
  return unsafe pinning(queue) { found in
    guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
    guard let known = unsafe resolve(type, .type) else { return unsafe refusal(type) }
    guard !TypeRegistry.isBuiltIn(known.index) else { return promise_status_t(PROMISE_ESTALE) }
    let (value, added) = found.object(type: known.index, tag: tag)
    if let value { unsafe value.store(out) }
    return status(added)
  }
}

@c @implementation
public func promise_queue_take(
  _ queue: OpaquePointer?, _ events: UnsafeMutablePointer<promise_event_t>?, _ room: Int, _ timeout_ns: Int64
) -> Int64 {
  unsafe pinning(queue, otherwise: { Int64($0) }) { found in
    guard let events = unsafe events, room != 0 else { return Int64(PROMISE_EINVAL) }
    // A size_t that Swift shows as a negative number: no limit.
    switch found.take(room < 0 ? .max : room, nanoseconds: timeout_ns) {
    case .events(let first, let count):
      unsafe hand(out: first, to: events)
      return Int64(count)
    case .closed: return Int64(PROMISE_ECLOSED)
    case .interrupted: return Int64(PROMISE_EINTR)
    case .deadlock: return Int64(PROMISE_EDEADLK)
    }
  }
}

/// Moves a chain of taken events into the caller's array.
private func hand(out first: UInt32, to events: UnsafeMutablePointer<promise_event_t>) {
  var index = first
  var place = unsafe events
  while index != 0 {
    let event = Completion(index: index)
    index = event.next
    unsafe place.pointee.kind = UInt32(event.reportedKind.rawValue)
    unsafe place.pointee.state = event.outcomeState
    unsafe place.pointee.tag = event.tag
    unsafe place.pointee.promise = event.promise.flatMap { unsafe handle($0) }
    unsafe withUnsafeMutablePointer(to: &place.pointee.value) { unsafe event.value.store($0) }
    unsafe place.pointee.reserved = 0
    unsafe place += 1
    event.ref.release()
  }
}

@c @implementation
public func promise_queue_answer(_ events: UnsafeMutablePointer<promise_event_t>?, _ count: Int) -> promise_status_t {
  guard unsafe isArrayCount(count, of: promise_event_t.self), unsafe count == 0 || events != nil else {
    return promise_status_t(PROMISE_EINVAL)
  }
  var first = promise_status_t(PROMISE_OK)
  for position in 0..<count {
    let event = unsafe events.unsafelyUnwrapped + position
    let verdict = unsafe Verdict(rawValue: event.pointee.state)
    let promise = unsafe event.pointee.promise
    switch verdict {
    case .skip: break
    case .fulfill, .reject, .adopt:
      guard unsafe event.pointee.kind == PROMISE_EVENT_CALL && promise != nil else { continue }
    default: continue
    }
    var value = unsafe event.pointee.value
    // Cleared first, so that the promise's callbacks find the event answered.
    unsafe event.pointee.promise = nil
    unsafe withUnsafeMutablePointer(to: &event.pointee.value) { unsafe CellValue.void.store($0) }
    let status = unsafe verdict == .skip ? skip(promise, &value) : answer(promise, verdict, &value)
    if first == promise_status_t(PROMISE_OK) { first = status }
  }
  return first
}

/// Releases the promise and the value of an event.
private func skip(_ promise: OpaquePointer?, _ value: UnsafeMutablePointer<promise_value_t>) -> promise_status_t {
  let status = unsafe promise_value_release(value)
  let released = unsafe promise == nil ? promise_status_t(PROMISE_OK) : promise_release(promise)
  return status == promise_status_t(PROMISE_OK) ? released : status
}

/// Settles the promise of a CALL, and releases it. Takes over the value on every path. A verdict that cannot take
/// effect rejects the promise.
private func answer(
  _ promise: OpaquePointer?, _ verdict: Verdict, _ value: UnsafePointer<promise_value_t>
) -> promise_status_t {
  defer { _ = unsafe promise_release(promise) }
  var fault = Fault.malformedValue
  var status: promise_status_t
  switch verdict {
  case .fulfill: status = unsafe promise_resolve(promise, value)
  case .reject: status = unsafe promise_reject(promise, value)
  default:
    guard let source = unsafe take(value) else {
      status = promise_status_t(PROMISE_EINVAL)
      break
    }
    if source.kind == ValueKind.promise.rawValue {
      status = unsafe promise_follow(promise, OpaquePointer(bitPattern: UInt(source.bits)))
    } else {
      status = promise_status_t(PROMISE_EINVAL)
      fault = .unknownVerdict
    }
    source.release()
  }
  switch status {
  case promise_status_t(PROMISE_OK), promise_status_t(PROMISE_ESETTLED), promise_status_t(PROMISE_ESTALE): return status
  case promise_status_t(PROMISE_EDEADLK): fault = .cycle
  case promise_status_t(PROMISE_ENOMEM): fault = .outOfMemory
  default: break
  }
  guard let cell = unsafe resolve(promise) else { return promise_status_t(PROMISE_ESTALE) }
  let reason = fault.value
  if cell.settle(reason, .rejected) == .refused { return promise_status_t(PROMISE_ESETTLED) }
  return status
}
