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
  owned.release()
  return promise_status_t(PROMISE_OK)
}

/// Why a value is not well-formed.
private func refusal(_ value: CellValue) -> promise_status_t {
  value.kind == ValueKind.promise.rawValue && value.bits != 0
    ? promise_status_t(PROMISE_ESTALE) : promise_status_t(PROMISE_EINVAL)
}

@c @implementation
public func promise_value_string(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ utf8: UnsafePointer<CChar>?, _ length: Int
) -> promise_status_t {
  guard let source = unsafe begin(out, utf8, length), unsafe isUTF8(source) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  return unsafe finish(out, Box.bytes(.string, source))
}

@c @implementation
public func promise_value_bytes(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> promise_status_t {
  guard let source = unsafe begin(out, bytes, length) else { return promise_status_t(PROMISE_EINVAL) }
  return unsafe finish(out, Box.bytes(.bytes, source))
}

@c @implementation
public func promise_value_error(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ domain: UnsafePointer<CChar>?, _ code: Int64,
  _ message: UnsafePointer<CChar>?
) -> promise_status_t {
  guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
  unsafe CellValue.void.store(out)
  guard let domain = unsafe domain.map(text), let message = unsafe message.map(text),
    unsafe isUTF8(UnsafeRawBufferPointer(domain)), unsafe isUTF8(UnsafeRawBufferPointer(message))
  else { return promise_status_t(PROMISE_EINVAL) }
  return unsafe finish(out, Box.error(domain: domain, code: code, message: message))
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
public func promise_value_data(
  _ value: UnsafePointer<promise_value_t>?, _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  unsafe length?.pointee = 0
  guard let box = unsafe box(value) else { return nil }
  unsafe length?.pointee = box.count
  return unsafe UnsafePointer(box.data?.assumingMemoryBound(to: CChar.self))
}

@c @implementation
public func promise_value_domain(_ value: UnsafePointer<promise_value_t>?) -> UnsafePointer<CChar>? {
  unsafe errorBox(value)?.errorDomain
}

@c @implementation
public func promise_value_code(_ value: UnsafePointer<promise_value_t>?) -> Int64 {
  unsafe errorBox(value)?.errorCode ?? 0
}

private func box(_ value: UnsafePointer<promise_value_t>?) -> Box? {
  guard let value = unsafe value else { return nil }
  let checked = unsafe CellValue(value)
  guard checked.kind != ValueKind.promise.rawValue, checked.isOwning, checked.isWellFormed else { return nil }
  return Box(checking: checked)
}

private func errorBox(_ value: UnsafePointer<promise_value_t>?) -> Box? {
  guard let value = unsafe value, unsafe value.pointee.kind == promise_kind_t(PROMISE_KIND_ERROR) else { return nil }
  return unsafe box(value)
}

/// Checks the arguments of a call that copies bytes, and sets `*out` to VOID.
private func begin(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> UnsafeRawBufferPointer? {
  guard let out = unsafe out else { return nil }
  unsafe CellValue.void.store(out)
  // A size_t beyond Int.max is no size of anything; Swift shows it as a negative number.
  guard length >= 0, unsafe bytes != nil || length == 0 else { return nil }
  return unsafe UnsafeRawBufferPointer(start: length == 0 ? nil : bytes, count: length)
}

private func finish(_ out: UnsafeMutablePointer<promise_value_t>?, _ value: CellValue?) -> promise_status_t {
  guard let out = unsafe out, let value else { return promise_status_t(PROMISE_ENOMEM) }
  unsafe value.store(out)
  return promise_status_t(PROMISE_OK)
}

private func text(_ string: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
  unsafe UnsafeBufferPointer(
    start: UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self), count: Int(strlen(string)))
}
