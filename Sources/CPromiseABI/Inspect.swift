import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_value_equal(
  _ one: UnsafePointer<promise_value_t>?, _ other: UnsafePointer<promise_value_t>?,
  _ equal: UnsafeMutablePointer<Bool>?
) -> promise_status_t {
  unsafe equal?.pointee = false
  guard let one = unsafe one.flatMap(take), let other = unsafe other.flatMap(take), let equal = unsafe equal else {
    return promise_status_t(PROMISE_EINVAL)
  }
  let comparison = Equality.compare(one, other)
  unsafe equal.pointee = comparison == .equal
  return promise_status_t(comparison == .outOfMemory ? PROMISE_ENOMEM : PROMISE_OK)
}

@c @implementation
public func promise_value_describe(
  _ value: UnsafePointer<promise_value_t>?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
  guard let buffer = unsafe buffer, size != 0 else { return 0 }
  let start = unsafe UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: UInt8.self)
  // An impossible size stands for a buffer without a limit.
  return unsafe Description.write(value.map { unsafe CellValue($0) }, to: start, size: size < 0 ? Int.max : size)
}

@c @implementation
public func promise_type_methods(
  _ type: OpaquePointer?, _ equal: promise_equal_t?, _ describe: promise_describe_t?
) -> promise_status_t {
  guard let cell = unsafe resolve(type, .type) else { return unsafe refusal(type) }
  guard !TypeRegistry.isBuiltIn(cell.index) else { return promise_status_t(PROMISE_ESTALE) }
  let methods = unsafe TypeMethods(equal: equal, describe: describe)
  return promise_status_t(TypeRegistry.setMethods(cell.index, methods) ? PROMISE_OK : PROMISE_ENOMEM)
}
