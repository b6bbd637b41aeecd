import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_value_array(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ elements: UnsafePointer<promise_value_t>?, _ count: Int
) -> promise_status_t {
  guard count >= 0, unsafe elements != nil || count == 0, count <= mostValues else {
    if let out = unsafe out { unsafe CellValue.void.store(out) }
    return promise_status_t(PROMISE_EINVAL)
  }
  guard let out = unsafe out, unsafe areWellFormed(elements, count) else {
    unsafe releaseWellFormed(elements, count)
    if let out = unsafe out { unsafe CellValue.void.store(out) }
    return promise_status_t(PROMISE_EINVAL)
  }
  let made = unsafe Box.array(elements, count: count)
  unsafe CellValue.void.store(out)
  return unsafe finish(out, made)
}

@c @implementation
public func promise_value_map(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?,
  _ lengths: UnsafePointer<Int>?, _ values: UnsafePointer<promise_value_t>?, _ count: Int
) -> promise_status_t {
  guard count >= 0, unsafe values != nil || count == 0, count <= mostValues else {
    if let out = unsafe out { unsafe CellValue.void.store(out) }
    return promise_status_t(PROMISE_EINVAL)
  }
  guard let out = unsafe out, unsafe areWellFormed(values, count), unsafe areTexts(keys, lengths, count) else {
    unsafe releaseWellFormed(values, count)
    if let out = unsafe out { unsafe CellValue.void.store(out) }
    return promise_status_t(PROMISE_EINVAL)
  }
  let made = unsafe map(keys, lengths, values, count)
  unsafe CellValue.void.store(out)
  return unsafe finish(out, made)
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

/// The largest count: more values do not fit in the address space.
private var mostValues: Int { Int.max / 16 }

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

private func areTexts(
  _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?, _ count: Int
) -> Bool {
  for index in 0..<count {
    guard let key = unsafe key(keys, lengths, index), unsafe Text.isUTF8(key) else { return false }
  }
  return true
}

/// Makes a MAP of checked entries. Takes over the values on every path.
private func map(
  _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?,
  _ values: UnsafePointer<promise_value_t>?, _ count: Int
) -> CellValue? {
  guard let builder = ValueBuilder(.map, capacity: count) else {
    unsafe releaseWellFormed(values, count)
    return nil
  }
  for index in 0..<count {
    let value = unsafe CellValue(values.unsafelyUnwrapped + index)
    guard let bytes = unsafe key(keys, lengths, index), let key = unsafe Box.bytes(.string, bytes) else {
      unsafe releaseWellFormed(values.unsafelyUnwrapped + index, count - index)
      builder.ref.release()
      return nil
    }
    guard builder.set(key, value) == nil else {
      unsafe releaseWellFormed(values.unsafelyUnwrapped + index + 1, count - index - 1)
      builder.ref.release()
      return nil
    }
  }
  return builder.finish()
}
