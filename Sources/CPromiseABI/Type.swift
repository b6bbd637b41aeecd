import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_type_register(
  _ name: UnsafePointer<CChar>?, _ parent: OpaquePointer?, _ destroy: promise_free_t?
) -> OpaquePointer? {
  guard let name, name.pointee != 0,
    isUTF8(UnsafeRawBufferPointer(start: name, count: Int(strlen(name))))
  else { return fail(promise_status_t(PROMISE_EINVAL)) }
  var parentIndex: UInt32 = 0
  if let parent {
    guard let cell = resolve(parent, .type) else { return fail(promise_status_t(PROMISE_ESTALE)) }
    parentIndex = cell.index
  }
  switch TypeRegistry.register(name, parent: parentIndex, destroy: destroy) {
  case .success(let type): return typeHandle(type)
  case .failure(.conflict): return fail(promise_status_t(PROMISE_EINVAL))
  case .failure(.outOfMemory): return fail(promise_status_t(PROMISE_ENOMEM))
  }
}

@c @implementation
public func promise_type_named(_ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let name else { return fail(promise_status_t(PROMISE_EINVAL)) }
  return typeHandle(TypeRegistry.named(name))
}

@c @implementation
public func promise_type_name(_ type: OpaquePointer?) -> UnsafePointer<CChar>? {
  guard let cell = resolve(type, .type) else {
    _ = fail(refusal(type))
    return nil
  }
  return TypeRegistry.name(cell.index)
}

@c @implementation
public func promise_value_is(_ value: UnsafePointer<promise_value_t>?, _ type: OpaquePointer?) -> Bool {
  guard let value, let type = resolve(type, .type) else { return false }
  let checked = CellValue(value)
  return checked.isWellFormed && TypeRegistry.matches(checked, type.index)
}

@c @implementation
public func promise_value_type(_ value: UnsafePointer<promise_value_t>?) -> OpaquePointer? {
  guard let value, CellValue(value).isWellFormed else { return fail(promise_status_t(PROMISE_EINVAL)) }
  return typeHandle(TypeRegistry.type(of: CellValue(value)))
}

private func typeHandle(_ type: UInt32) -> OpaquePointer? {
  type == 0 ? fail(promise_status_t(PROMISE_EINVAL)) : handle(CellRef(index: type))
}
