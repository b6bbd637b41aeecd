import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_value_error(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ domain: UnsafePointer<CChar>?, _ code: Int64,
  _ message: UnsafePointer<CChar>?
) -> promise_status_t {
  guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
  unsafe CellValue.void.store(out)
  guard let domain = unsafe domain.flatMap(text), let message = unsafe message.flatMap(text) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  return unsafe finish(out, Box.error(domain: domain, code: code, message: message))
}

@c @implementation
public func promise_value_error_sized(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ domain: UnsafePointer<CChar>?, _ domain_length: Int, _ code: Int64,
  _ message: UnsafePointer<CChar>?, _ message_length: Int
) -> promise_status_t {
  guard let out = unsafe out else { return promise_status_t(PROMISE_EINVAL) }
  unsafe CellValue.void.store(out)
  guard let domain = unsafe text(domain, domain_length), let message = unsafe text(message, message_length),
    // promise_value_domain() returns the domain as a NUL-terminated text.
    unsafe !domain.contains(0)
  else { return promise_status_t(PROMISE_EINVAL) }
  return unsafe finish(out, Box.error(domain: domain, code: code, message: message))
}

@c @implementation
public func promise_value_error_from(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ domain: UnsafePointer<CChar>?, _ code: Int64,
  _ message: UnsafePointer<CChar>?, _ origin: UnsafePointer<CChar>?, _ cause: UnsafePointer<promise_value_t>?
) -> promise_status_t {
  // Read before `*out` is written: both may be the same place.
  var taken = CellValue.void
  if let cause = unsafe cause {
    guard let known = unsafe take(cause) else {
      if let out = unsafe out { unsafe CellValue.void.store(out) }
      return promise_status_t(PROMISE_EINVAL)
    }
    taken = known
  }
  if let out = unsafe out { unsafe CellValue.void.store(out) }
  guard unsafe out != nil, let domain = unsafe domain.flatMap(text), let message = unsafe message.flatMap(text),
    let origin = unsafe origin.map(text) ?? UnsafeBufferPointer(start: nil, count: 0)
  else {
    taken.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  return unsafe finish(out, Box.error(domain: domain, code: code, message: message, origin: origin, cause: taken))
}

@c @implementation
public func promise_value_domain(_ value: UnsafePointer<promise_value_t>?) -> UnsafePointer<CChar>? {
  unsafe box(value, .error)?.errorDomain
}

@c @implementation
public func promise_value_code(_ value: UnsafePointer<promise_value_t>?) -> Int64 {
  unsafe box(value, .error)?.errorCode ?? 0
}

@c @implementation
public func promise_value_origin(_ value: UnsafePointer<promise_value_t>?) -> UnsafePointer<CChar>? {
  unsafe box(value, .error)?.originText
}

@c @implementation
public func promise_value_cause(_ value: UnsafePointer<promise_value_t>?) -> UnsafePointer<promise_value_t>? {
  unsafe lent((box(value, .error) ?? box(value, .discarded))?.cause)
}
