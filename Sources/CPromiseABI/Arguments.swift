import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

// Conversion of arguments and results, shared by all families of functions.

/// Returns the box of a boxed value; nil for NULL, a forged value, and kinds without a box.
func box(_ value: UnsafePointer<promise_value_t>?) -> Box? {
  guard let value = unsafe value else { return nil }
  return unsafe CellValue(value).givenBox
}

/// Returns the box of a value of one kind; nil as above.
func box(_ value: UnsafePointer<promise_value_t>?, _ kind: ValueKind) -> Box? {
  guard let value = unsafe value, unsafe value.pointee.kind == kind.rawValue else { return nil }
  return unsafe box(value)
}

/// Takes over a value's reference; nil if the value is malformed and so has none.
func take(_ value: UnsafePointer<promise_value_t>) -> CellValue? {
  let taken = unsafe CellValue(value)
  return taken.isWellFormed ? taken : nil
}

/// Checks the arguments of a call that copies bytes, and sets `*out` to VOID. Returns the bytes; nil if an argument is
/// invalid.
func begin(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> UnsafeRawBufferPointer? {
  guard let out = unsafe out else { return nil }
  unsafe CellValue.void.store(out)
  return unsafe buffer(bytes, length)
}

/// Whether an array can have so many elements of a type: C's objects are smaller than half of the address space. A
/// size_t beyond Int.max is a negative number here.
@inline(__always)
func isArrayCount<Element>(_ count: Int, of type: Element.Type) -> Bool {
  count >= 0 && count <= Int.max / MemoryLayout<Element>.stride
}

/// Returns the caller's bytes; nil if the length is impossible, or the pointer NULL with a length.
func buffer(_ bytes: UnsafeRawPointer?, _ length: Int) -> UnsafeRawBufferPointer? {
  // A size_t beyond Int.max is an impossible size; Swift shows it as a negative number.
  guard length >= 0, unsafe bytes != nil || length == 0 else { return nil }
  return unsafe UnsafeRawBufferPointer(start: length == 0 ? nil : bytes, count: length)
}

/// Returns a STRING of the caller's bytes, or the status for those that make none. The copy is checked, which no other
/// thread can change.
func string(_ bytes: UnsafeRawBufferPointer?) -> (CellValue?, failure: promise_status_t) {
  guard let bytes = unsafe bytes else { return (nil, promise_status_t(PROMISE_EINVAL)) }
  guard let value = unsafe Box.bytes(.string, bytes) else { return (nil, promise_status_t(PROMISE_ENOMEM)) }
  guard let copy = unsafe value.givenBytes, unsafe Text.isUTF8(copy) else {
    value.release()
    return (nil, promise_status_t(PROMISE_EINVAL))
  }
  return (value, promise_status_t(PROMISE_OK))
}

/// Stores the result of a call that makes a value; nil means out of memory.
func finish(_ out: UnsafeMutablePointer<promise_value_t>?, _ value: CellValue?) -> promise_status_t {
  guard let out = unsafe out, let value else { return promise_status_t(PROMISE_ENOMEM) }
  unsafe value.store(out)
  return promise_status_t(PROMISE_OK)
}

/// Returns the C view of a value, borrowed.
func lent(_ value: UnsafePointer<CellValue>?) -> UnsafePointer<promise_value_t>? {
  unsafe UnsafeRawPointer(value)?.assumingMemoryBound(to: promise_value_t.self)
}

/// Returns a NUL-terminated text; nil if it is not UTF-8.
func text(_ string: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8>? {
  unsafe text(string, Int(strlen(string)))
}

/// Returns a text of the given length in bytes; nil if it is not UTF-8.
func text(_ string: UnsafePointer<CChar>?, _ length: Int) -> UnsafeBufferPointer<UInt8>? {
  guard let bytes = unsafe buffer(string, length), unsafe Text.isUTF8(bytes) else { return nil }
  return unsafe bytes.assumingMemoryBound(to: UInt8.self)
}

/// Whether the fields of a newer caller's struct beyond those known here are unused, that is 0. No version's struct is
/// larger than 4096 bytes: a larger `size` is an uninitialised field, and the memory behind it is not the caller's.
func isUnused(_ structure: UnsafeRawPointer, from known: Int, to size: UInt32) -> Bool {
  guard size >= known, size <= 4096 else { return false }
  for offset in known..<Int(size) where unsafe structure.load(fromByteOffset: offset, as: UInt8.self) != 0 {
    return false
  }
  return true
}
