import Glibc

/// The dynamic section of a shared library: where its tables are in memory, and its texts.
struct ELFDynamic {
  let image: ELFImage
  /// The addresses of the section itself.
  let range: Range<UInt64>
  let values: [UInt64: UInt64]
  /// Offsets in the string table, with their tags, in the order of the section.
  let texts: [(tag: UInt64, offset: UInt64)]
  /// The string table, once it has been read.
  private(set) var strings: [UInt8] = []

  /// The maximum number of entries, more than any linker writes.
  private static let maximumEntries = 4096
  /// The maximum length of a text: a search path may be longer than a path.
  private static let maximumText = 1 << 16

  /// Reads the section as the loader does: at its address, until the entry that ends it.
  init(_ image: ELFImage) throws(ELFMistake) {
    guard let section = image.segment(ELFSegment.dynamic), section.fileSize >= 16 else {
      throw ELFMistake(.notAPlugin, "has no well-formed dynamic section: expected a shared library")
    }
    guard image.offset(of: section.address, section.fileSize) == section.offset, section.address % 8 == 0 else {
      throw .damaged("its dynamic section is at \(section.offset.hexadecimal), expected it in a segment that is loaded")
    }
    // The loader writes to a dynamic section that is not read-only.
    guard !section.isWritable || image.isWritable(section.address, section.fileSize) else {
      throw .damaged("its dynamic section is writable, but not in a writable segment")
    }
    let count = Int(min(section.fileSize / 16, UInt64(Self.maximumEntries)))
    guard let table = image.bytes(at: section.address, UInt64(count * 16)) else {
      throw .damaged("its dynamic section cannot be read")
    }
    self.image = image
    range = section.address..<section.address + section.fileSize
    (values, texts) = try Self.entries(table, count)
  }

  private static func entries(
    _ table: [UInt8], _ count: Int
  ) throws(ELFMistake) -> ([UInt64: UInt64], [(tag: UInt64, offset: UInt64)]) {
    var values: [UInt64: UInt64] = [:]
    var texts: [(tag: UInt64, offset: UInt64)] = []
    for entry in 0..<count {
      let tag: UInt64 = FileReader.number(table, at: entry * 16)
      let value: UInt64 = FileReader.number(table, at: entry * 16 + 8)
      if tag == ELFTag.end { return (values, texts) }
      guard ELFTag.isKnown(tag) else {
        throw .damaged("its dynamic section has the tag \(tag.hexadecimal), which no linker is known to write")
      }
      guard values.updateValue(value, forKey: tag) == nil || ELFTag.repeated.contains(tag) else {
        throw .damaged("its dynamic section has the tag \(tag.hexadecimal) twice")
      }
      if ELFTag.texts.contains(tag) { texts.append((tag, value)) }
    }
    throw .damaged("its dynamic section has no end: expected DT_NULL among its \(count) entries")
  }

  subscript(tag: UInt64) -> UInt64? { values[tag] }

  /// Returns the table at the address of one tag, with the size of another; `nil` if there is none.
  func table(_ address: UInt64, size: UInt64) throws(ELFMistake) -> [UInt8]? {
    guard let start = values[address] else {
      if values[size] ?? 0 != 0 {
        throw .damaged("its dynamic section has the size of a table, tag \(size.hexadecimal), but no such table")
      }
      return nil
    }
    guard let length = values[size] else {
      throw .damaged("its dynamic section has a table, tag \(address.hexadecimal), but not its size")
    }
    guard let bytes = image.bytes(at: start, length) else {
      throw .damaged("its table at \(start.hexadecimal) is not in the file")
    }
    return bytes
  }

  /// Reads the string table, and checks the section's texts.
  mutating func readStrings() throws(ELFMistake) {
    strings = try table(ELFTag.strings, size: ELFTag.stringsSize) ?? []
    guard strings.last == 0 else { throw .damaged("its string table does not end with a NUL") }
    for text in texts {
      guard text.offset < strings.count else {
        throw .damaged("its dynamic section has a name outside the string table")
      }
      _ = try self.text(at: text.offset)
    }
  }

  /// Returns a text of the string table while the file is verified. The same text, or a part of it, may be named any
  /// number of times.
  func text(at offset: UInt64) throws(ELFMistake) -> ArraySlice<UInt8> {
    guard let text = bytes(at: offset), image.reader.budget.spend(UInt64(text.count)) else {
      throw .damaged("it has a name of more than \(Self.maximumText) bytes")
    }
    return text
  }

  /// Returns a text of the string table; `nil` if it is outside, or too long.
  private func bytes(at offset: UInt64) -> ArraySlice<UInt8>? {
    guard offset < strings.count else { return nil }
    let start = Int(offset)
    let length = strings.withUnsafeBytes { bytes in
      let text = bytes.baseAddress! + start
      return memchr(text, 0, min(bytes.count - start, Self.maximumText)).map { UnsafeRawPointer($0) - text }
    }
    return length.map { strings[start..<start + $0] }
  }

  /// Returns the texts of a tag.
  func texts(_ tag: UInt64) -> [String] {
    texts.filter { $0.tag == tag }.compactMap { bytes(at: $0.offset).map { String(decoding: $0, as: UTF8.self) } }
  }
}
