import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_builder_new(_ kind: promise_kind_t, _ capacity: Int) -> OpaquePointer? {
  let kind = ValueKind(rawValue: kind)
  guard isBuilt(kind) else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard capacity >= 0 else { return unsafe fail(promise_status_t(PROMISE_ENOMEM)) }
  return unsafe made(ValueBuilder(kind, capacity: capacity)?.ref)
}

@c @implementation
public func promise_builder_from(_ value: UnsafePointer<promise_value_t>?) -> OpaquePointer? {
  guard let source = unsafe box(value), isBuilt(source.kind) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  return unsafe made(ValueBuilder.copy(of: source)?.ref)
}

@c @implementation
public func promise_builder_add(
  _ builder: OpaquePointer?, _ element: UnsafePointer<promise_value_t>?
) -> promise_status_t {
  let taken = unsafe element.flatMap(take)
  guard let found = unsafe ValueBuilder(checking: token(builder)) else {
    taken?.release()
    return unsafe refusal(builder)
  }
  guard let taken else { return promise_status_t(PROMISE_EINVAL) }
  return status(found.add(taken))
}

@c @implementation
public func promise_builder_set(
  _ builder: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ length: Int, _ value: UnsafePointer<promise_value_t>?
) -> promise_status_t {
  let taken = unsafe value.flatMap(take)
  guard let found = unsafe ValueBuilder(checking: token(builder)) else {
    taken?.release()
    return unsafe refusal(builder)
  }
  guard let taken else { return promise_status_t(PROMISE_EINVAL) }
  let (made, failure) = unsafe string(buffer(key, length))
  guard let made else {
    taken.release()
    return failure
  }
  return status(found.set(made, taken))
}

@c @implementation
public func promise_builder_append(
  _ builder: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> promise_status_t {
  guard let found = unsafe ValueBuilder(checking: token(builder)) else { return unsafe refusal(builder) }
  guard let source = unsafe buffer(bytes, length) else { return promise_status_t(PROMISE_EINVAL) }
  return unsafe status(found.append(source))
}

@c @implementation
public func promise_builder_room(_ builder: OpaquePointer?, _ length: Int) -> UnsafeMutableRawPointer? {
  guard let found = unsafe ValueBuilder(checking: token(builder)) else {
    return unsafe UnsafeMutableRawPointer(fail(refusal(builder)))
  }
  guard found.kind == .string || found.kind == .bytes else {
    return unsafe UnsafeMutableRawPointer(fail(promise_status_t(PROMISE_EINVAL)))
  }
  guard length >= 0, let room = unsafe found.room(length) else {
    return unsafe UnsafeMutableRawPointer(fail(promise_status_t(PROMISE_ENOMEM)))
  }
  return unsafe room
}

@c @implementation
public func promise_builder_advance(_ builder: OpaquePointer?, _ length: Int) -> promise_status_t {
  guard let found = unsafe ValueBuilder(checking: token(builder)) else { return unsafe refusal(builder) }
  return promise_status_t(found.advance(length) ? PROMISE_OK : PROMISE_EINVAL)
}

@c @implementation
public func promise_builder_count(_ builder: OpaquePointer?) -> Int64 {
  guard let found = unsafe ValueBuilder(checking: token(builder)) else { return Int64(unsafe refusal(builder)) }
  return Int64(found.count)
}

@c @implementation
public func promise_builder_finish(
  _ builder: OpaquePointer?, _ out: UnsafeMutablePointer<promise_value_t>?
) -> promise_status_t {
  if let out = unsafe out { unsafe CellValue.void.store(out) }
  guard let found = unsafe ValueBuilder(checking: token(builder)) else { return unsafe refusal(builder) }
  guard unsafe out != nil, found.isWellFormed else {
    found.ref.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  return unsafe finish(out, found.finish())
}

@c @implementation
public func promise_builder_drop(_ builder: OpaquePointer?) -> promise_status_t {
  guard let found = unsafe ValueBuilder(checking: token(builder)) else { return unsafe refusal(builder) }
  found.ref.release()
  return promise_status_t(PROMISE_OK)
}

/// Whether a builder can make values of the kind.
private func isBuilt(_ kind: ValueKind) -> Bool {
  kind == .string || kind == .bytes || kind == .array || kind == .map
}

private func status(_ refusal: ValueBuilder.Refusal?) -> promise_status_t {
  switch refusal {
  case nil: promise_status_t(PROMISE_OK)
  case .wrongKind?: promise_status_t(PROMISE_EINVAL)
  case .outOfMemory?: promise_status_t(PROMISE_ENOMEM)
  }
}
