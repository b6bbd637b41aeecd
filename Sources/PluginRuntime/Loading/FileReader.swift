import Glibc

/// Reads numbers from an untrusted file, at untrusted offsets. The file is not mapped, so one that is truncated
/// meanwhile causes `nil`, not a signal.
struct FileReader {
  let descriptor: Int32
  let size: UInt64
  /// Counts the reads. Once it is spent, each read gives `nil`.
  let budget: VerificationBudget

  init(_ file: PluginFile, within budget: VerificationBudget = VerificationBudget()) {
    descriptor = file.descriptor
    size = UInt64(file.identity.size)
    self.budget = budget
  }

  /// Whether the file holds this range.
  func holds(_ offset: UInt64, _ length: UInt64) -> Bool {
    let (end, overflows) = offset.addingReportingOverflow(length)
    return !overflows && end <= size
  }

  func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    guard holds(offset, UInt64(count)), budget.spend(VerificationBudget.call + UInt64(count)) else { return nil }
    var read = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while read < count {
        let result = pread(descriptor, buffer.baseAddress! + read, count - read, off_t(offset) + off_t(read))
        if result < 0 && errno == EINTR { continue }
        if result <= 0 { break }
        read += result
      }
      initialized = read
    }
    return read == count ? bytes : nil
  }

  /// Reads a little-endian number.
  func number<T: FixedWidthInteger>(at offset: UInt64, as type: T.Type = T.self) -> T? {
    bytes(at: offset, count: MemoryLayout<T>.size).map { FileReader.number($0, at: 0) }
  }

  /// Returns a little-endian number in bytes that were read.
  static func number<T: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, as type: T.Type = T.self) -> T {
    bytes.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
  }
}
