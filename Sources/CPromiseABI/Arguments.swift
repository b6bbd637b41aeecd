import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

// Values on their way in and out, as every family of functions has them.

/// The box of a value that has one; nil for NULL, for what is forged, and for other kinds.
func box(_ value: UnsafePointer<promise_value_t>?) -> Box? {
  guard let value = unsafe value else { return nil }
  return unsafe CellValue(value).givenBox
}

/// The same, of one kind only.
func box(_ value: UnsafePointer<promise_value_t>?, _ kind: ValueKind) -> Box? {
  guard let value = unsafe value, unsafe value.pointee.kind == kind.rawValue else { return nil }
  return unsafe box(value)
}

/// Takes over a value. If it is malformed there is nothing to take: nil.
func take(_ value: UnsafePointer<promise_value_t>) -> CellValue? {
  let taken = unsafe CellValue(value)
  return taken.isWellFormed ? taken : nil
}

/// Checks the arguments of a call that copies bytes, and sets `*out` to VOID.
func begin(
  _ out: UnsafeMutablePointer<promise_value_t>?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> UnsafeRawBufferPointer? {
  guard let out = unsafe out else { return nil }
  unsafe CellValue.void.store(out)
  return unsafe buffer(bytes, length)
}

/// Bytes of the caller's; nil if there cannot be so many.
func buffer(_ bytes: UnsafeRawPointer?, _ length: Int) -> UnsafeRawBufferPointer? {
  // A size_t beyond Int.max is no size of anything; Swift shows it as a negative number.
  guard length >= 0, unsafe bytes != nil || length == 0 else { return nil }
  return unsafe UnsafeRawBufferPointer(start: length == 0 ? nil : bytes, count: length)
}

/// Ends a call that makes a value: nil is for want of memory.
func finish(_ out: UnsafeMutablePointer<promise_value_t>?, _ value: CellValue?) -> promise_status_t {
  guard let out = unsafe out, let value else { return promise_status_t(PROMISE_ENOMEM) }
  unsafe value.store(out)
  return promise_status_t(PROMISE_OK)
}

/// What lies in a value, as the caller sees it.
func lent(_ value: UnsafePointer<CellValue>?) -> UnsafePointer<promise_value_t>? {
  unsafe UnsafeRawPointer(value)?.assumingMemoryBound(to: promise_value_t.self)
}

/// A text that ends with a NUL, if it is UTF-8.
func text(_ string: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8>? {
  unsafe text(string, Int(strlen(string)))
}

/// A text of so many bytes, if it is UTF-8.
func text(_ string: UnsafePointer<CChar>?, _ length: Int) -> UnsafeBufferPointer<UInt8>? {
  guard let bytes = unsafe buffer(string, length), unsafe Text.isUTF8(bytes) else { return nil }
  return unsafe bytes.assumingMemoryBound(to: UInt8.self)
}

/// Whether the fields that a newer caller's struct has, behind those that are known here, are unused. No version's struct
/// will be larger than 4096 bytes: a size beyond was never set, and is not followed through the caller's memory.
func isUnused(_ structure: UnsafeRawPointer, from known: Int, to size: UInt32) -> Bool {
  guard size >= known, size <= 4096 else { return false }
  for offset in known..<Int(size) where unsafe structure.load(fromByteOffset: offset, as: UInt8.self) != 0 {
    return false
  }
  return true
}
