import CPlatform

/// A growing buffer of bytes. After an allocation failure, or at the limit, writing is a no-op and the flags below are
/// set: so writers need not check after each piece.
@safe
struct TextBuffer: TextOutput {
  private(set) var start: UnsafeMutablePointer<UInt8>?
  private(set) var count = 0
  private var capacity = 0
  /// The maximum number of bytes.
  private let limit: Int
  private(set) var isOutOfMemory = false
  private(set) var isBeyondLimit = false

  init(limit: Int = Int.max) { self.limit = limit }

  var hasFailed: Bool { isOutOfMemory || isBeyondLimit }
  var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

  mutating func write(_ byte: UInt8) {
    guard reserve(1) else { return }
    unsafe start.unsafelyUnwrapped[count] = byte
    count += 1
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, reserve(bytes.count) else { return }
    unsafe (UnsafeMutableRawPointer(start.unsafelyUnwrapped) + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func removeAll() { count = 0 }

  func free() { unsafe platform_free(start) }

  /// Makes a STRING of the bytes, which must be UTF-8. Takes ownership of the memory on every path. Nil when memory has
  /// run out, now or while writing.
  func string() -> CellValue? {
    guard !hasFailed else {
      free()
      return nil
    }
    return unsafe Box.bytes(.string, takingOver: start, count: count)
  }

  /// Reserves memory for more bytes, and for a NUL after them.
  private mutating func reserve(_ more: Int) -> Bool {
    if more < capacity - count, more <= limit - count { return !hasFailed }
    guard !hasFailed else { return false }
    guard more <= limit - count else {
      isBeyondLimit = true
      return false
    }
    guard more < Int.max / 4 - count, let memory = unsafe realloc(start, max(64, (count + more + 1) * 2)) else {
      isOutOfMemory = true
      return false
    }
    capacity = max(64, (count + more + 1) * 2)
    unsafe start = unsafe memory.assumingMemoryBound(to: UInt8.self)
    return true
  }
}
