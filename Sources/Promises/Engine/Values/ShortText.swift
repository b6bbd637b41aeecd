import CPlatform

/// Text in a buffer of fixed size: text that does not fit is cut off between two characters and marked with an
/// ellipsis.
@safe
struct ShortText: TextOutput {
  private let start: UnsafeMutablePointer<UInt8>
  private let size: Int
  private var count = 0
  private(set) var isFull = false

  /// The last byte is reserved for a NUL.
  init(_ start: UnsafeMutablePointer<UInt8>, size: Int) {
    unsafe self.start = unsafe start
    self.size = max(0, size - 1)
    isFull = size <= 1
  }

  mutating func write(_ byte: UInt8) {
    guard !isFull else { return }
    guard count < size else {
      isFull = true
      return
    }
    unsafe start[count] = byte
    count += 1
  }

  /// Appends the output of a type's method. False if it wrote nothing, or malformed UTF-8.
  mutating func write(by describe: TypeMethods.Describe, of payload: UnsafeRawPointer?) -> Bool {
    guard !isFull, count < size else {
      isFull = true
      return true
    }
    let place = unsafe UnsafeMutableRawPointer(start + count)
    let written = unsafe describe(payload, place.assumingMemoryBound(to: CChar.self), size - count)
    guard written > 0, written <= size - count,
      unsafe Text.isUTF8(UnsafeRawBufferPointer(start: place, count: written))
    else { return false }
    count += written
    return true
  }

  /// Terminates the text and returns its number of bytes.
  mutating func finish() -> Int {
    guard size > 0 else {
      unsafe start[0] = 0
      return 0
    }
    if isFull {
      let ellipsis: StaticString = "…"
      let length = ellipsis.utf8CodeUnitCount
      count = unsafe Text.validPrefix(UnsafeRawBufferPointer(start: start, count: max(0, size - length)))
      if size >= length {
        for offset in 0..<length { unsafe start[count + offset] = ellipsis.utf8Start[offset] }
        count += length
      }
    }
    unsafe start[count] = 0
    return count
  }
}
