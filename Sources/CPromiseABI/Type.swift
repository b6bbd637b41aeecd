import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_type_register(
  _ name: UnsafePointer<CChar>?, _ parent: OpaquePointer?, _ destroy: promise_free_t?
) -> OpaquePointer? {
  guard let name = unsafe name, unsafe name.pointee != 0,
    unsafe Text.isUTF8(UnsafeRawBufferPointer(start: name, count: Int(strlen(name))))
  else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  var parentIndex: UInt32 = 0
  if let parent = unsafe parent {
    guard let cell = unsafe resolve(parent, .type) else { return unsafe fail(promise_status_t(PROMISE_ESTALE)) }
    parentIndex = cell.index
  }
  switch unsafe TypeRegistry.register(name, parent: parentIndex, destroy: destroy) {
  case .success(let type): return unsafe typeHandle(type)
  case .failure(.conflict): return unsafe fail(promise_status_t(PROMISE_EINVAL))
  case .failure(.outOfMemory): return unsafe fail(promise_status_t(PROMISE_ENOMEM))
  }
}

@c @implementation
public func promise_type_named(_ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let name = unsafe name else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  guard TypeRegistry.builtIn(.object) != 0 else { return unsafe fail(promise_status_t(PROMISE_ENOMEM)) }
  return unsafe typeHandle(TypeRegistry.named(name))
}

@c @implementation
public func promise_type_name(_ type: OpaquePointer?) -> UnsafePointer<CChar>? {
  guard let cell = unsafe resolve(type, .type) else {
    _ = unsafe fail(refusal(type))
    return nil
  }
  return unsafe TypeRegistry.name(cell.index)
}

@c @implementation
public func promise_value_is(_ value: UnsafePointer<promise_value_t>?, _ type: OpaquePointer?) -> Bool {
  guard let value = unsafe value, let type = unsafe resolve(type, .type) else { return false }
  let checked = unsafe CellValue(value)
  return checked.isWellFormed && TypeRegistry.matches(checked, type.index)
}

@c @implementation
public func promise_value_type(_ value: UnsafePointer<promise_value_t>?) -> OpaquePointer? {
  guard let value = unsafe value, unsafe CellValue(value).isWellFormed else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  // Each value has a type, unless the table of types cannot be made.
  let type = unsafe TypeRegistry.type(of: CellValue(value))
  return unsafe type == 0 ? fail(promise_status_t(PROMISE_ENOMEM)) : handle(CellRef(index: type))
}

private func typeHandle(_ type: UInt32) -> OpaquePointer? {
  unsafe type == 0 ? fail(promise_status_t(PROMISE_EINVAL)) : handle(CellRef(index: type))
}
