import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

/// Returns the subscriber of a handle.
func resolveSubscriber(_ handle: OpaquePointer?) -> CellSubscriber? {
  guard let cell = unsafe token(handle).cell(.subscriber) else { return nil }
  let found = CellSubscriber(cell)
  return found.hasHandles ? found : nil
}

@c @implementation
public func promise_publisher_subscribe(
  _ publisher: OpaquePointer?, _ subscription: UnsafePointer<promise_subscription_t>?
) -> OpaquePointer? {
  // Version 1 of the struct has all fields. So a smaller `size` is invalid, and `ctx` is neither read nor freed.
  let size = unsafe MemoryLayout<promise_subscription_t>.size
  guard let subscription = unsafe subscription, unsafe subscription.pointee.size >= UInt32(size) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  let known = unsafe subscription.pointee
  let context = unsafe Context(known.ctx, known.free_ctx)
  guard let found = unsafe resolvePublisher(publisher) else { return unsafe fail(refusal(publisher), context) }
  guard unsafe isUnused(subscription, from: size, to: known.size), let wish = unsafe Subscription(known, context) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL), context)
  }
  guard let complete = unsafe wish.with(known.executor, known.token) else {
    return unsafe fail(promise_status_t(PROMISE_ESTALE), context)
  }
  return unsafe made(found.subscribe(complete)?.ref)
}

extension Subscription {
  /// Converts the numbers and functions; nil if one is invalid.
  fileprivate init?(_ known: promise_subscription_t, _ context: Context) {
    guard let overflow = unsafe Overflow(rawValue: known.overflow) else { return nil }
    // A capacity beyond the memory's size is clamped, which makes no difference.
    let capacity = unsafe Int(clamping: known.capacity)
    guard overflow == .buffer || capacity > 0 else { return nil }
    let isForPromises = unsafe known.on_value == nil && known.on_error == nil
    unsafe self.init(
      isForPromises
        ? .promises(context)
        : .callbacks(
          onValue: unsafeBitCast(known.on_value, to: Observer?.self),
          onError: unsafeBitCast(known.on_error, to: Observer?.self), onEnd: nil, context))
    self.overflow = overflow
    self.capacity = capacity
    self.demand = unsafe known.demand
  }

  /// Returns the subscription with the objects of the two handles; nil if one is stale.
  fileprivate func with(_ executor: OpaquePointer?, _ token: OpaquePointer?) -> Subscription? {
    var complete = self
    if let executor = unsafe executor {
      guard let found = unsafe resolve(executor, .executor) else { return nil }
      complete.executor = CellExecutor(found)
    }
    if let token = unsafe token {
      guard let found = unsafe cancelToken(token) else { return nil }
      complete.token = found
    }
    return complete
  }
}

@c @implementation
public func promise_subscriber_retain(_ subscriber: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe resolveSubscriber(subscriber) else { return unsafe refusal(subscriber) }
  return status(found.retainHandle())
}

@c @implementation
public func promise_subscriber_release(_ subscriber: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe resolveSubscriber(subscriber) else { return unsafe refusal(subscriber) }
  found.releaseHandle()
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_subscriber_request(_ subscriber: OpaquePointer?, _ count: UInt64) -> promise_status_t {
  guard let found = unsafe resolveSubscriber(subscriber) else { return unsafe refusal(subscriber) }
  guard count > 0, !found.isForPromises else { return promise_status_t(PROMISE_EINVAL) }
  found.request(count)
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_subscriber_cancel(_ subscriber: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe resolveSubscriber(subscriber) else { return unsafe refusal(subscriber) }
  return promise_status_t(found.cancel() ? PROMISE_OK : PROMISE_ESETTLED)
}

@c @implementation
public func promise_subscriber_next(_ subscriber: OpaquePointer?) -> OpaquePointer? {
  guard let found = unsafe resolveSubscriber(subscriber) else { return unsafe fail(refusal(subscriber)) }
  guard found.isForPromises else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  return unsafe made(found.next())
}

@c @implementation
public func promise_subscriber_end(_ subscriber: OpaquePointer?) -> OpaquePointer? {
  guard let found = unsafe resolveSubscriber(subscriber) else { return unsafe fail(refusal(subscriber)) }
  guard let end = found.end, end.retain() else { return unsafe made(nil) }
  return unsafe made(end)
}

@c @implementation
public func promise_subscriber_dropped(_ subscriber: OpaquePointer?) -> Int64 {
  guard let found = unsafe resolveSubscriber(subscriber) else { return Int64(unsafe refusal(subscriber)) }
  return Int64(clamping: found.dropped)
}
