/// The memory of a shared library as the system's loader maps it, read from the file.
///
/// Every address comes from the file and may be wrong. Each is translated to an offset in the file through the
/// segments, and read there with its bounds checked.
struct ELFImage {
  let reader: FileReader
  let segments: [ELFSegment]
  /// The segments that are mapped.
  let loads: [ELFSegment]

  init(reader: FileReader, segments: [ELFSegment]) {
    self.reader = reader
    self.segments = segments
    loads = segments.filter { $0.type == ELFSegment.load }
  }

  /// Returns the segment of a type that occurs at most once.
  func segment(_ type: UInt32) -> ELFSegment? { segments.first { $0.type == type } }

  /// Returns the segment whose memory holds the range.
  func load(with address: UInt64, _ length: UInt64) -> ELFSegment? {
    loads.first { $0.contains(address, length) }
  }

  func isMapped(_ address: UInt64, _ length: UInt64) -> Bool { load(with: address, length) != nil }
  func isWritable(_ address: UInt64, _ length: UInt64) -> Bool { load(with: address, length)?.isWritable ?? false }
  func isCode(_ address: UInt64) -> Bool {
    guard let segment = load(with: address, 1) else { return false }
    // The rest of a segment is filled with zeros, which are not code.
    return segment.isExecutable && address - segment.address < segment.fileSize
  }

  /// Returns the offset in the file of a range of memory; `nil` if the file does not have all of it.
  func offset(of address: UInt64, _ length: UInt64) -> UInt64? {
    guard let segment = load(with: address, length) else { return nil }
    let distance = address - segment.address
    guard distance + length <= segment.fileSize else { return nil }
    return segment.offset + distance
  }

  func bytes(at address: UInt64, _ length: UInt64) -> [UInt8]? {
    guard length <= UInt64(Int.max) else { return nil }
    return offset(of: address, length).flatMap { reader.bytes(at: $0, count: Int(length)) }
  }

  func number<T: FixedWidthInteger>(at address: UInt64, as type: T.Type = T.self) -> T? {
    offset(of: address, UInt64(MemoryLayout<T>.size)).flatMap { reader.number(at: $0) }
  }

  /// Returns the number of bytes of the file that follow in memory from an address on.
  func bytesLeft(from address: UInt64) -> UInt64 {
    guard let segment = load(with: address, 0) else { return 0 }
    let distance = address - segment.address
    return distance < segment.fileSize ? segment.fileSize - distance : 0
  }
}
