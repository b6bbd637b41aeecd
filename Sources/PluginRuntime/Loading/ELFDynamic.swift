/// The dynamic section of a shared library: where its tables are in memory, and its symbols.
struct ELFDynamic {
  let image: ELFImage
  /// The addresses of the section itself.
  let range: Range<UInt64>
  let values: [UInt64: UInt64]
  /// Offsets in the string table, with their tags, in the order of the section.
  let texts: [(tag: UInt64, offset: UInt64)]

  /// The maximum number of entries, more than any linker writes.
  private static let maximumEntries = 4096

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

  /// Returns a text of the string table; `nil` if it is outside.
  func text(at offset: UInt64) -> String? {
    guard let strings = values[ELFTag.strings], let size = values[ELFTag.stringsSize], offset < size else { return nil }
    guard let bytes = image.bytes(at: strings &+ offset, min(size - offset, 4096)),
      let end = bytes.firstIndex(of: 0)
    else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Returns the texts of a tag.
  func texts(_ tag: UInt64) -> [String] { texts.filter { $0.tag == tag }.compactMap { text(at: $0.offset) } }
}

extension ELFDynamic {
  /// Returns the symbol that the library exports under this name, found as `dlsym()` finds it.
  ///
  /// - Parameter hidden: whether a version other than the default one, as in `pthread_atfork@GLIBC_2.2.5`, counts: only
  ///   programs and libraries that were linked with that version find it.
  func symbol(named name: String, hidden: Bool = false) -> ELFSymbol? {
    if let table = values[ELFTag.gnuHash] { return symbol(named: name, hidden, gnuHash: table) }
    if let table = values[ELFTag.hash] { return symbol(named: name, hidden, systemVHash: table) }
    return nil
  }

  /// The names that other libraries have to define. Weak ones may be missing.
  var needed: [String] {
    // The first symbols of a table are those without a definition, which its hash table leaves out.
    let count: UInt32? = (values[ELFTag.gnuHash] ?? values[ELFTag.hash]).flatMap { image.number(at: $0 &+ 4) }
    guard let count, let symbols = values[ELFTag.symbols],
      let table = image.bytes(at: symbols, UInt64(count) * UInt64(ELFSymbol.size))
    else { return [] }
    return (0..<Int(count)).compactMap { index in
      let symbol = ELFSymbol(table, at: index * ELFSymbol.size)
      return symbol.isNeeded ? text(at: UInt64(symbol.nameOffset)) : nil
    }
  }

  private func symbol(named name: String, _ hidden: Bool, gnuHash table: UInt64) -> ELFSymbol? {
    var hash: UInt32 = 5381
    for byte in name.utf8 { hash = hash &* 33 &+ UInt32(byte) }
    guard let bucketCount: UInt32 = image.number(at: table), let firstIndex: UInt32 = image.number(at: table &+ 4),
      let bloomCount: UInt32 = image.number(at: table &+ 8), bucketCount > 0
    else { return nil }
    let buckets = table &+ 16 &+ UInt64(bloomCount) * 8
    let chains = buckets &+ UInt64(bucketCount) * 4
    guard var index: UInt32 = image.number(at: buckets &+ UInt64(hash % bucketCount) * 4), index >= firstIndex else {
      return nil
    }
    // The end of the file ends the loop at the latest.
    while let entry: UInt32 = image.number(at: chains &+ UInt64(index - firstIndex) * 4) {
      if entry | 1 == hash | 1, let symbol = symbol(at: index, named: name, hidden) { return symbol }
      if entry & 1 == 1 || index == .max { return nil }
      index += 1
    }
    return nil
  }

  private func symbol(named name: String, _ hidden: Bool, systemVHash table: UInt64) -> ELFSymbol? {
    var hash: UInt32 = 0
    for byte in name.utf8 {
      hash = hash << 4 &+ UInt32(byte)
      hash = (hash ^ (hash & 0xF000_0000) >> 24) & 0x0FFF_FFFF
    }
    guard let bucketCount: UInt32 = image.number(at: table), let chainCount: UInt32 = image.number(at: table &+ 4),
      bucketCount > 0
    else {
      return nil
    }
    let chains = table &+ 8 &+ UInt64(bucketCount) * 4
    var index: UInt32 = image.number(at: table &+ 8 &+ UInt64(hash % bucketCount) * 4) ?? 0
    var steps: UInt32 = 0
    while index != 0, steps < chainCount {
      if let symbol = symbol(at: index, named: name, hidden) { return symbol }
      index = image.number(at: chains &+ UInt64(index) * 4) ?? 0
      steps += 1
    }
    return nil
  }

  private func symbol(at index: UInt32, named name: String, _ hidden: Bool) -> ELFSymbol? {
    guard let symbols = values[ELFTag.symbols], let strings = values[ELFTag.strings],
      let stringsSize = values[ELFTag.stringsSize],
      let entry = image.bytes(at: symbols &+ UInt64(index) * UInt64(ELFSymbol.size), UInt64(ELFSymbol.size))
    else { return nil }
    let symbol = ELFSymbol(entry)
    let length = name.utf8.count + 1
    guard symbol.isExported, UInt64(symbol.nameOffset) + UInt64(length) <= stringsSize,
      let found = image.bytes(at: strings &+ UInt64(symbol.nameOffset), UInt64(length))
    else { return nil }
    guard found == Array(name.utf8) + [0] else { return nil }
    guard !hidden, let table = values[ELFTag.versions],
      let version: UInt16 = image.number(at: table &+ UInt64(index) * 2)
    else { return symbol }
    // 0 and 1 stand for symbols without a version. The highest bit is set unless a version is the default one.
    return version & 0x8000 != 0 && version & 0x7FFF > 1 ? nil : symbol
  }
}
