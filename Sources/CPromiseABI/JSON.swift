import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_value_from_json(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ text: UnsafePointer<CChar>?, _ length: Int,
  _ options: UnsafePointer<promise_json_options_t>?, _ error: UnsafeMutablePointer<promise_value_t>?
) -> promise_status_t {
  if let error = unsafe error { unsafe CellValue.void.store(error) }
  guard let text = unsafe begin(out, text, length), let options = unsafe known(options) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  return unsafe answer(JSONReader.read(text, options), out, error)
}

@c @implementation
public func promise_value_to_json(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ value: UnsafePointer<promise_value_t>?,
  _ options: UnsafePointer<promise_json_options_t>?, _ error: UnsafeMutablePointer<promise_value_t>?
) -> promise_status_t {
  // Read before `*out` and `*error` are written: one may be the same place.
  let source = unsafe value.flatMap(take)
  if let error = unsafe error { unsafe CellValue.void.store(error) }
  if let out = unsafe out { unsafe CellValue.void.store(out) }
  guard unsafe out != nil, let source, let options = unsafe known(options) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  return unsafe answer(JSONWriter.write(source, options), out, error)
}

private func answer(
  _ result: JSONResult, _ out: UnsafeMutablePointer<promise_value_t>?, _ error: UnsafeMutablePointer<promise_value_t>?
) -> promise_status_t {
  switch result {
  case .value(let value): return unsafe finish(out, value)
  case .outOfMemory: return promise_status_t(PROMISE_ENOMEM)
  case .fault(let fault):
    if let error = unsafe error { unsafe fault?.store(error) } else { fault?.release() }
    return promise_status_t(PROMISE_EINVAL)
  }
}

/// Converts the options to the engine's type; nil if they are invalid.
private func known(_ options: UnsafePointer<promise_json_options_t>?) -> JSONOptions? {
  var known = JSONOptions()
  guard let options = unsafe options else { return known }
  let flags = UInt32(PROMISE_JSON_LAST_WINS | PROMISE_JSON_ASCII | PROMISE_JSON_NONFINITE_NULL)
  guard unsafe isUnused(options, from: MemoryLayout<promise_json_options_t>.size, to: options.pointee.size),
    unsafe options.pointee.flags & ~flags == 0, unsafe options.pointee.indent <= 16
  else { return nil }
  known.lastWins = unsafe options.pointee.flags & UInt32(PROMISE_JSON_LAST_WINS) != 0
  known.asciiOnly = unsafe options.pointee.flags & UInt32(PROMISE_JSON_ASCII) != 0
  known.nonFiniteAsNull = unsafe options.pointee.flags & UInt32(PROMISE_JSON_NONFINITE_NULL) != 0
  known.indent = unsafe Int(options.pointee.indent)
  if unsafe options.pointee.max_depth != 0 { known.maxDepth = unsafe Int(options.pointee.max_depth) }
  if unsafe options.pointee.max_length != 0 { known.maxLength = unsafe options.pointee.max_length }
  return known
}
