import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_value_retain(_ value: UnsafePointer<promise_value_t>?) -> promise_status_t {
  guard let value = unsafe value else { return promise_status_t(PROMISE_EINVAL) }
  let owned = unsafe CellValue(value)
  guard owned.isWellFormed else { return refusal(owned) }
  return promise_status_t(owned.retain() ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_value_release(_ value: UnsafeMutablePointer<promise_value_t>?) -> promise_status_t {
  guard let value = unsafe value else { return promise_status_t(PROMISE_EINVAL) }
  let owned = unsafe CellValue(UnsafePointer(value))
  guard owned.isWellFormed else { return refusal(owned) }
  unsafe CellValue.void.store(value)
  guard owned.kind != ValueKind.promise.rawValue else { return releaseHandle(of: owned.owner) }
  owned.release()
  return promise_status_t(PROMISE_OK)
}

/// Returns the status for a malformed value.
private func refusal(_ value: CellValue) -> promise_status_t {
  value.kind == ValueKind.promise.rawValue && value.bits != 0
    ? promise_status_t(PROMISE_ESTALE) : promise_status_t(PROMISE_EINVAL)
}

@c @implementation
public func promise_value_string(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ utf8: UnsafePointer<CChar>?, _ length: Int
) -> promise_status_t {
  let (made, failure) = unsafe string(begin(out, utf8, length))
  guard let made else { return failure }
  return unsafe finish(out, made)
}

@c @implementation
public func promise_value_bytes(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> promise_status_t {
  guard let source = unsafe begin(out, bytes, length) else { return promise_status_t(PROMISE_EINVAL) }
  return unsafe finish(out, Box.bytes(.bytes, source))
}

@c @implementation
public func promise_value_bytes_foreign(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ bytes: UnsafeRawPointer?, _ length: Int,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> promise_status_t {
  let context = unsafe Context(ctx, free_ctx)
  guard let source = unsafe begin(out, bytes, length) else {
    context.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  return unsafe finish(out, Box.bytes(foreign: source, context))
}

@c @implementation
public func promise_value_object(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ type: OpaquePointer?, _ payload: UnsafeMutableRawPointer?
) -> promise_status_t {
  guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
  unsafe CellValue.void.store(out)
  guard let type = unsafe resolve(type, .type) else { return unsafe refusal(type) }
  guard !TypeRegistry.isBuiltIn(type.index) else { return promise_status_t(PROMISE_ESTALE) }
  return unsafe finish(out, Box.object(type: type.index, payload))
}

@c @implementation
public func promise_value_object_with(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ type: OpaquePointer?, _ payload: UnsafeMutableRawPointer?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> promise_status_t {
  let context = unsafe Context(ctx, free_ctx)
  if let out = unsafe out { unsafe CellValue.void.store(out) }
  guard unsafe out != nil, let found = unsafe resolve(type, .type), !TypeRegistry.isBuiltIn(found.index) else {
    context.release()
    return unsafe out == nil || type == nil ? promise_status_t(PROMISE_EINVAL) : promise_status_t(PROMISE_ESTALE)
  }
  return unsafe finish(out, Box.object(type: found.index, payload, context))
}

@c @implementation
public func promise_value_data(
  _ value: UnsafePointer<promise_value_t>?, _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  unsafe length?.pointee = 0
  guard let value = unsafe value, let bytes = unsafe CellValue(value).givenBytes else { return nil }
  unsafe length?.pointee = bytes.count
  return unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
}
