/// The dynamic section of a shared library: where its tables are in memory, and its symbols.
///
/// Every address comes from the file and may be wrong. Each is translated to an offset in the file through the
/// segments, and read there with its bounds checked.
struct ELFDynamic {
  private let reader: FileReader
  private let loads: [ELFSegment]
  private let values: [UInt64: UInt64]

  /// More than any linker writes; a section without an end stops here.
  private static let maximumEntries = 4096

  init?(reader: FileReader, segments: [ELFSegment]) {
    guard let section = segments.first(where: { $0.type == ELFSegment.dynamic }) else { return nil }
    let count = Int(min(section.fileSize / 16, UInt64(Self.maximumEntries)))
    guard count > 0, let table = reader.bytes(at: section.offset, count: count * 16) else { return nil }
    var values: [UInt64: UInt64] = [:]
    for entry in 0..<count {
      let tag: UInt64 = FileReader.number(table, at: entry * 16)
      if tag == Tag.end { break }
      values[tag] = FileReader.number(table, at: entry * 16 + 8)
    }
    self.reader = reader
    self.values = values
    loads = segments.filter { $0.type == ELFSegment.load }
  }

  private enum Tag {
    static let end: UInt64 = 0
    static let hash: UInt64 = 4, strings: UInt64 = 5, symbols: UInt64 = 6, stringsSize: UInt64 = 10
    static let gnuHash: UInt64 = 0x6FFF_FEF5, flags1: UInt64 = 0x6FFF_FFFB
    static let pltGOT: UInt64 = 3, pltRelocations: UInt64 = 23, pltRelocationsSize: UInt64 = 2
    static let rela: UInt64 = 7, relaSize: UInt64 = 8, rel: UInt64 = 17, relSize: UInt64 = 18
    static let relr: UInt64 = 36, relrSize: UInt64 = 35
    static let initialiser: UInt64 = 12, initialisers: UInt64 = 25, initialisersSize: UInt64 = 27
    static let finaliser: UInt64 = 13, finalisers: UInt64 = 26, finalisersSize: UInt64 = 28
    static let preinitialisers: UInt64 = 32, preinitialisersSize: UInt64 = 33
    static let versions: UInt64 = 0x6FFF_FFF0
    static let versionsDefined: UInt64 = 0x6FFF_FFFC, versionsNeeded: UInt64 = 0x6FFF_FFFE
    /// Tables that the loader walks, by their tag and that of their size in bytes.
    static let tables: [(address: UInt64, size: UInt64)] = [
      (strings, stringsSize), (rela, relaSize), (rel, relSize), (relr, relrSize), (pltRelocations, pltRelocationsSize),
      (initialisers, initialisersSize), (finalisers, finalisersSize), (preinitialisers, preinitialisersSize),
    ]
    /// Addresses without a size.
    static let addresses: [UInt64] = [
      pltGOT, hash, symbols, initialiser, finaliser, gnuHash, versions, versionsDefined, versionsNeeded,
    ]
    static let isProgram: UInt64 = 0x0800_0000
  }

  /// What the loader could not survive, or would refuse in words that do not help; `nil` if there is nothing.
  var mistake: String? {
    if let flags = values[Tag.flags1], flags & Tag.isProgram != 0 { return "is a program, expected a shared library" }
    guard values[Tag.strings] != nil, values[Tag.symbols] != nil, values[Tag.hash] != nil || values[Tag.gnuHash] != nil
    else {
      return "has no dynamic symbols: expected a shared library that exports functions"
    }
    let isOutside =
      Tag.tables.contains { table in values[table.address].map { !isMapped($0, values[table.size] ?? 0) } ?? false }
      || Tag.addresses.contains { tag in values[tag].map { !isMapped($0, 1) } ?? false }
    return isOutside ? "has a dynamic section that points outside the file's segments: the file is damaged" : nil
  }

  private func isMapped(_ address: UInt64, _ length: UInt64) -> Bool {
    // INIT and FINI may be 0: none.
    address == 0 || loads.contains { $0.contains(address, length) }
  }

  /// Where in the file the memory at the address comes from.
  private func offset(of address: UInt64, _ length: UInt64) -> UInt64? {
    guard let segment = loads.first(where: { $0.contains(address, length) }) else { return nil }
    let distance = address - segment.address
    guard distance + length <= segment.fileSize else { return nil }
    return segment.offset + distance
  }

  private func number<T: FixedWidthInteger>(at address: UInt64, as type: T.Type = T.self) -> T? {
    offset(of: address, UInt64(MemoryLayout<T>.size)).flatMap { reader.number(at: $0) }
  }
}

extension ELFDynamic {
  /// The symbol that the library exports under this name, found as the loader finds it.
  func symbol(named name: String) -> ELFSymbol? {
    if let table = values[Tag.gnuHash] { return symbol(named: name, gnuHash: table) }
    if let table = values[Tag.hash] { return symbol(named: name, systemVHash: table) }
    return nil
  }

  private func symbol(named name: String, gnuHash table: UInt64) -> ELFSymbol? {
    var hash: UInt32 = 5381
    for byte in name.utf8 { hash = hash &* 33 &+ UInt32(byte) }
    guard let bucketCount: UInt32 = number(at: table), let firstIndex: UInt32 = number(at: table &+ 4),
      let bloomCount: UInt32 = number(at: table &+ 8), bucketCount > 0
    else { return nil }
    let buckets = table &+ 16 &+ UInt64(bloomCount) * 8
    let chains = buckets &+ UInt64(bucketCount) * 4
    guard var index: UInt32 = number(at: buckets &+ UInt64(hash % bucketCount) * 4), index >= firstIndex else {
      return nil
    }
    // Ends at the latest where the file does.
    while let entry: UInt32 = number(at: chains &+ UInt64(index - firstIndex) * 4) {
      if entry | 1 == hash | 1, let symbol = symbol(at: index, named: name) { return symbol }
      if entry & 1 == 1 || index == .max { return nil }
      index += 1
    }
    return nil
  }

  private func symbol(named name: String, systemVHash table: UInt64) -> ELFSymbol? {
    var hash: UInt32 = 0
    for byte in name.utf8 {
      hash = hash << 4 &+ UInt32(byte)
      hash = (hash ^ (hash & 0xF000_0000) >> 24) & 0x0FFF_FFFF
    }
    guard let bucketCount: UInt32 = number(at: table), let chainCount: UInt32 = number(at: table &+ 4), bucketCount > 0
    else {
      return nil
    }
    let chains = table &+ 8 &+ UInt64(bucketCount) * 4
    var index: UInt32 = number(at: table &+ 8 &+ UInt64(hash % bucketCount) * 4) ?? 0
    var steps: UInt32 = 0
    while index != 0, steps < chainCount {
      if let symbol = symbol(at: index, named: name) { return symbol }
      index = number(at: chains &+ UInt64(index) * 4) ?? 0
      steps += 1
    }
    return nil
  }

  private func symbol(at index: UInt32, named name: String) -> ELFSymbol? {
    guard let symbols = values[Tag.symbols], let strings = values[Tag.strings],
      let stringsSize = values[Tag.stringsSize],
      let offset = offset(of: symbols &+ UInt64(index) * UInt64(ELFSymbol.size), UInt64(ELFSymbol.size)),
      let entry = reader.bytes(at: offset, count: ELFSymbol.size)
    else { return nil }
    let symbol = ELFSymbol(entry)
    let length = name.utf8.count + 1
    guard symbol.isExported, UInt64(symbol.nameOffset) + UInt64(length) <= stringsSize,
      let nameOffset = self.offset(of: strings &+ UInt64(symbol.nameOffset), UInt64(length))
    else { return nil }
    return reader.bytes(at: nameOffset, count: length) == Array(name.utf8) + [0] ? symbol : nil
  }
}
