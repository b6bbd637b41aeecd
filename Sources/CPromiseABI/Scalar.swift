import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_value_void(_ out: UnsafeMutablePointer<promise_value_t>?) -> promise_status_t {
  unsafe store(.void, out)
}

@c @implementation
public func promise_value_bool(_ out: UnsafeMutablePointer<promise_value_t>?, _ value: Bool) -> promise_status_t {
  unsafe store(CellValue(kind: .bool, bits: value ? 1 : 0), out)
}

@c @implementation
public func promise_value_i64(_ out: UnsafeMutablePointer<promise_value_t>?, _ value: Int64) -> promise_status_t {
  unsafe store(CellValue(kind: .i64, bits: UInt64(bitPattern: value)), out)
}

@c @implementation
public func promise_value_u64(_ out: UnsafeMutablePointer<promise_value_t>?, _ value: UInt64) -> promise_status_t {
  unsafe store(CellValue(kind: .u64, bits: value), out)
}

@c @implementation
public func promise_value_f64(_ out: UnsafeMutablePointer<promise_value_t>?, _ value: Double) -> promise_status_t {
  unsafe store(CellValue(kind: .f64, bits: value.bitPattern), out)
}

@c @implementation
public func promise_value_pointer(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ pointer: UnsafeMutableRawPointer?
) -> promise_status_t {
  unsafe store(CellValue(kind: .pointer, bits: UInt64(UInt(bitPattern: pointer))), out)
}

@c @implementation
public func promise_value_promise(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ promise: OpaquePointer?
) -> promise_status_t {
  guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
  unsafe CellValue.void.store(out)
  guard let cell = unsafe resolve(promise) else { return unsafe refusal(promise) }
  guard cell.retain() else { return promise_status_t(PROMISE_ENOMEM) }
  return unsafe store(CellValue(kind: .promise, bits: cell.token.bits), out)
}

private func store(_ value: CellValue, _ out: UnsafeMutablePointer<promise_value_t>?) -> promise_status_t {
  guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
  unsafe value.store(out)
  return promise_status_t(PROMISE_OK)
}
