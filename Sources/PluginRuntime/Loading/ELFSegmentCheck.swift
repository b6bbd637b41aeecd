import Glibc

/// Checks that the segments can be mapped in their order, and that the headers of their parts name memory within them.
///
/// The loader maps each segment at the address in its header, over any older mapping: segments out of order replace
/// each other, or memory outside the library.
struct ELFSegmentCheck {
  let image: ELFImage
  private let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))

  init(_ image: ELFImage) { self.image = image }

  func check(headerTable: Range<UInt64>) throws(ELFMistake) {
    try checkOrder()
    for type in ELFSegment.single where image.segments.count(where: { $0.type == type }) > 1 {
      throw .damaged("it has two program headers of type \(UInt64(type).hexadecimal), expected one")
    }
    for segment in image.segments where ELFSegment.parts.contains(segment.type) {
      guard segment.fileSize == 0 || image.offset(of: segment.address, segment.fileSize) == segment.offset else {
        throw .damaged(
          "its program header of type \(UInt64(segment.type).hexadecimal) names memory that is not in its segments")
      }
    }
    if let header = image.segment(ELFSegment.headers) {
      guard image.offset(of: header.address, UInt64(headerTable.count)) == headerTable.lowerBound else {
        throw .damaged(
          "its program headers are at \(headerTable.lowerBound.hexadecimal), expected them where PT_PHDR says")
      }
    }
    try checkThreadLocal()
    try checkReadOnlyAfterRelocation()
  }

  private func checkOrder() throws(ELFMistake) {
    guard !image.loads.isEmpty else {
      throw ELFMistake(.notAPlugin, "has no segment to load: expected a shared library")
    }
    var end: UInt64 = 0
    for (index, load) in image.loads.enumerated() {
      guard load.alignment >= page, load.alignment.nonzeroBitCount == 1,
        (load.address &- load.offset) % load.alignment == 0
      else { throw .damaged("its segment at \(load.address.hexadecimal) is not aligned as its header says") }
      guard load.address - load.address % page >= end || index == 0 else {
        throw .damaged("its segment at \(load.address.hexadecimal) overlaps the one before, or comes before it")
      }
      // Not rounded up: the next segment is compared by the beginning of its page.
      end = load.memory.upperBound
    }
  }

  /// The maximum size of thread-local memory, in bytes: the loader ends the process if it cannot allocate it.
  private static let maximumThreadLocal: UInt64 = 1 << 28

  private func checkThreadLocal() throws(ELFMistake) {
    guard let block = image.segment(ELFSegment.threadLocal) else { return }
    guard block.fileSize <= block.memorySize, block.memorySize <= Self.maximumThreadLocal,
      block.alignment <= 1 << 16, block.alignment == 0 || block.alignment.nonzeroBitCount == 1
    else {
      throw .damaged(
        "its thread-local memory has \(block.memorySize) bytes, aligned to \(block.alignment): expected "
          + "\(block.fileSize) to \(Self.maximumThreadLocal) bytes, and a power of two up to 65536")
    }
  }

  private func checkReadOnlyAfterRelocation() throws(ELFMistake) {
    guard let part = image.segment(ELFSegment.readOnlyAfterRelocation), part.memorySize > 0 else { return }
    guard let load = image.load(with: part.address, 0), load.isWritable,
      let end = part.address.adding(part.memorySize), end <= load.memory.upperBound + page
    else { throw .damaged("its part that becomes read-only after relocation is not in a writable segment") }
  }
}

extension UInt64 {
  /// Returns the sum; `nil` if it overflows.
  func adding(_ other: UInt64) -> UInt64? {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? nil : sum
  }
}
