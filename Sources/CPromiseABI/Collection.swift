import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_value_array(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ elements: UnsafePointer<promise_value_t>?, _ count: Int
) -> promise_status_t {
  unsafe collect(out, elements, count) {
    (unsafe Box.array(elements, count: count), promise_status_t(PROMISE_ENOMEM))
  }
}

@c @implementation
public func promise_value_map(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?,
  _ lengths: UnsafePointer<Int>?, _ values: UnsafePointer<promise_value_t>?, _ count: Int
) -> promise_status_t {
  unsafe collect(out, values, count) { unsafe map(keys, lengths, values, count) }
}

@c @implementation
public func promise_value_count(_ value: UnsafePointer<promise_value_t>?) -> Int {
  unsafe collection(value)?.count ?? 0
}

@c @implementation
public func promise_value_at(
  _ value: UnsafePointer<promise_value_t>?, _ index: Int
) -> UnsafePointer<promise_value_t>? {
  guard let box = unsafe collection(value), index >= 0, index < box.count else { return nil }
  return unsafe lent(box.elements.baseAddress.map { unsafe UnsafePointer($0 + index) })
}

@c @implementation
public func promise_value_key(
  _ value: UnsafePointer<promise_value_t>?, _ index: Int, _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  unsafe length?.pointee = 0
  guard let box = unsafe box(value, .map), index >= 0, index < box.count else { return nil }
  let key = box.key(index)
  unsafe length?.pointee = key.count
  return unsafe UnsafePointer(key.data?.assumingMemoryBound(to: CChar.self))
}

@c @implementation
public func promise_value_find(
  _ value: UnsafePointer<promise_value_t>?, _ key: UnsafePointer<CChar>?, _ length: Int
) -> UnsafePointer<promise_value_t>? {
  guard let box = unsafe box(value, .map), let key = unsafe buffer(key, length) else { return nil }
  return unsafe lent(box.find(key))
}

/// Checks the values that a call takes over, and stores the collection that `make` returns, or VOID.
private func collect(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ values: UnsafePointer<promise_value_t>?, _ count: Int,
  _ make: () -> (CellValue?, failure: promise_status_t)
) -> promise_status_t {
  let isArray = unsafe isArrayCount(count, of: promise_value_t.self) && (values != nil || count == 0)
  guard let out = unsafe out, isArray, unsafe areWellFormed(values, count) else {
    if isArray { unsafe releaseWellFormed(values, count) }
    if let out = unsafe out { unsafe CellValue.void.store(out) }
    return promise_status_t(PROMISE_EINVAL)
  }
  let (made, failure) = make()
  unsafe (made ?? .void).store(out)
  return made == nil ? failure : promise_status_t(PROMISE_OK)
}

private func collection(_ value: UnsafePointer<promise_value_t>?) -> Box? {
  unsafe box(value, .array) ?? box(value, .map)
}

private func areWellFormed(_ values: UnsafePointer<promise_value_t>?, _ count: Int) -> Bool {
  guard let values = unsafe values else { return true }
  for index in 0..<count where unsafe !CellValue(values + index).isWellFormed { return false }
  return true
}

/// Releases the references that were taken over, skipping malformed values.
private func releaseWellFormed(_ values: UnsafePointer<promise_value_t>?, _ count: Int) {
  guard let values = unsafe values else { return }
  for index in 0..<count { unsafe take(values + index)?.release() }
}

private func key(
  _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?, _ index: Int
) -> UnsafeRawBufferPointer? {
  guard let key = unsafe keys?[index] else { return nil }
  return unsafe buffer(key, lengths?[index] ?? Int(strlen(key)))
}

/// Makes a MAP, or returns the status of the failure. Takes over the values on every path.
private func map(
  _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?,
  _ values: UnsafePointer<promise_value_t>?, _ count: Int
) -> (CellValue?, failure: promise_status_t) {
  guard let builder = ValueBuilder(.map, capacity: count) else {
    unsafe releaseWellFormed(values, count)
    return (nil, promise_status_t(PROMISE_ENOMEM))
  }
  for index in 0..<count {
    let rest = unsafe values.unsafelyUnwrapped + index
    let (made, failure) = unsafe string(key(keys, lengths, index))
    guard let made else {
      unsafe releaseWellFormed(rest, count - index)
      builder.ref.release()
      return (nil, failure)
    }
    guard unsafe builder.set(made, CellValue(rest)) == nil else {
      unsafe releaseWellFormed(rest + 1, count - index - 1)
      builder.ref.release()
      return (nil, promise_status_t(PROMISE_ENOMEM))
    }
  }
  return (builder.finish(), promise_status_t(PROMISE_ENOMEM))
}
