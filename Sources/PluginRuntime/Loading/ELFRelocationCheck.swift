/// Checks the relocations: each writes to writable memory outside the loader's tables, the written address leads into
/// the library, and the functions that are called at load time are code.
struct ELFRelocationCheck {
  /// The number of relocations.
  private(set) var count = 0
  /// The highest symbol index in a relocation; -1 without any.
  private(set) var highestSymbol = -1

  private let dynamic: ELFDynamic
  private let image: ELFImage
  private let symbols: [UInt8]
  private let writable: [Range<UInt64>]
  /// The dynamic section, and the other tables that the loader reads.
  private let protected: [Range<UInt64>]
  private let memory: Range<UInt64>
  /// Words with functions that the loader calls, and the address that a relocation writes there; `nil`: an address of
  /// another library.
  private var functions: [UInt64: UInt64?] = [:]
  private let lists: [Range<UInt64>]

  init(_ dynamic: ELFDynamic, symbols: [UInt8]) throws(ELFMistake) {
    self.dynamic = dynamic
    image = dynamic.image
    self.symbols = symbols
    writable = image.loads.filter(\.isWritable).map(\.memory)
    memory = (image.loads.first?.address ?? 0)..<(image.loads.last?.memory.upperBound ?? 0)
    let tables = [
      (ELFTag.rela, ELFTag.relaSize), (ELFTag.pltRelocations, ELFTag.pltRelocationsSize),
      (ELFTag.relr, ELFTag.relrSize),
      (ELFTag.strings, ELFTag.stringsSize),
    ]
    protected =
      [dynamic.range] + tables.compactMap { table in dynamic[table.0].map { $0..<$0 + (dynamic[table.1] ?? 0) } }
    lists = try Self.lists(dynamic)
    let general = try dynamic.table(ELFTag.rela, size: ELFTag.relaSize) ?? []
    try check(general)
    try checkRelativeCount(general)
    try check(dynamic.table(ELFTag.pltRelocations, size: ELFTag.pltRelocationsSize) ?? [])
    try checkCompact(dynamic.table(ELFTag.relr, size: ELFTag.relrSize) ?? [])
    try checkFunctions()
  }

  /// Returns the lists of functions that the loader calls.
  private static func lists(_ dynamic: ELFDynamic) throws(ELFMistake) -> [Range<UInt64>] {
    var lists: [Range<UInt64>] = []
    for (list, size) in [
      (ELFTag.initialisers, ELFTag.initialisersSize), (ELFTag.finalisers, ELFTag.finalisersSize),
    ] {
      guard let bytes = try dynamic.table(list, size: size), let start = dynamic[list] else { continue }
      guard bytes.count % 8 == 0 else {
        throw .damaged("its list of initialisers or finalisers has \(bytes.count) bytes, expected a multiple of 8")
      }
      // `functions` has each of them.
      guard dynamic.image.reader.budget.spend(UInt64(bytes.count) * 8) else {
        throw .damaged("its list of initialisers or finalisers has \(bytes.count / 8) entries")
      }
      lists.append(start..<start + UInt64(bytes.count))
    }
    return lists
  }

  private static let size = 24

  private mutating func check(_ table: [UInt8]) throws(ELFMistake) {
    guard table.count % Self.size == 0 else { throw .damaged("its table of relocations ends within an entry") }
    for entry in stride(from: 0, to: table.count, by: Self.size) {
      let place: UInt64 = FileReader.number(table, at: entry)
      let info: UInt64 = FileReader.number(table, at: entry + 8)
      let addend: UInt64 = FileReader.number(table, at: entry + 16)
      count += 1
      guard let type = ELFRelocationType.named(UInt32(truncatingIfNeeded: info)) else {
        throw .damaged(
          "its relocation at \(place.hexadecimal) is of type \(UInt32(truncatingIfNeeded: info)), "
            + "which is not one of libraries for this machine")
      }
      if type.role == .nothing { continue }
      try checkPlace(place, type.size)
      let value = try value(type.role, Int(info >> 32), addend, at: place)
      if lists.contains(where: { $0.contains(place) }) { functions[place] = value }
    }
  }

  /// Checks the address that a relocation writes to.
  private func checkPlace(_ place: UInt64, _ size: UInt64) throws(ELFMistake) {
    guard writable.contains(where: { $0.contains(place) && $0.upperBound - place >= size }) else {
      throw .damaged("its relocation at \(place.hexadecimal) is not in a writable segment")
    }
    guard !protected.contains(where: { place < $0.upperBound && $0.lowerBound < place + size }) else {
      throw .damaged("its relocation at \(place.hexadecimal) is in a table of the loader's")
    }
  }

  /// Returns the written address, relative to the library's base; `nil` if it belongs to another library.
  private mutating func value(
    _ role: ELFRelocationType.Role, _ symbol: Int, _ addend: UInt64, at place: UInt64
  ) throws(ELFMistake) -> UInt64? {
    guard (symbol + 1) * ELFSymbol.size <= symbols.count else {
      throw .damaged("its relocation at \(place.hexadecimal) names the symbol \(symbol), which is not there")
    }
    if symbol > 0 { highestSymbol = max(highestSymbol, symbol) }
    switch role {
    case .nothing: return nil
    case .relative:
      // Swift and sanitizers tag pointers in the highest byte.
      let target = addend & 0x00FF_FFFF_FFFF_FFFF
      guard memory.contains(target) || target == memory.upperBound else {
        throw .damaged(
          "its relocation at \(place.hexadecimal) makes a pointer to \(addend.hexadecimal), outside its memory")
      }
      return addend
    case .indirect:
      guard image.isCode(addend) else {
        throw .damaged("its relocation at \(place.hexadecimal) calls \(addend.hexadecimal), outside its code")
      }
      return nil
    case .slot where symbol == 0:
      throw .damaged("its relocation at \(place.hexadecimal) names no symbol")
    case .symbol, .slot:
      let entry = ELFSymbol(symbols, at: symbol * ELFSymbol.size)
      return entry.isDefined ? entry.address &+ addend : nil
    case .threadLocal:
      let entry = ELFSymbol(symbols, at: symbol * ELFSymbol.size)
      guard symbol > 0 && !entry.isDefined || image.segment(ELFSegment.threadLocal) != nil else {
        throw .damaged("its relocation at \(place.hexadecimal) is for thread-local memory, of which it has none")
      }
      return nil
    }
  }

  /// Checks the declared number of relative relocations at the start of the table: the loader applies them without
  /// checking their types.
  private func checkRelativeCount(_ table: [UInt8]) throws(ELFMistake) {
    let relative = dynamic[ELFTag.relaCount] ?? 0
    let all = table.count / Self.size
    guard relative <= all else { throw .damaged("it has \(all) relocations, fewer than its DT_RELACOUNT, \(relative)") }
    for index in 0..<Int(relative) {
      let info: UInt64 = FileReader.number(table, at: index * Self.size + 8)
      guard ELFRelocationType.named(UInt32(truncatingIfNeeded: info))?.role == .relative else {
        throw .damaged("its relocation \(index) is not relative, expected the first \(relative) to be")
      }
    }
  }

  /// Checks relative relocations in the compact form: an address, then bitmaps of the words after it.
  private mutating func checkCompact(_ table: [UInt8]) throws(ELFMistake) {
    guard table.count % 8 == 0 else { throw .damaged("its table of compact relocations ends within a word") }
    // A word stands for up to 63 others.
    guard image.reader.budget.spend(UInt64(table.count) * 63) else {
      throw .damaged("its table of compact relocations has \(table.count / 8) words")
    }
    var next: UInt64?
    for word in stride(from: 0, to: table.count, by: 8) {
      let entry: UInt64 = FileReader.number(table, at: word)
      if entry & 1 == 0 {
        try checkCompact(at: entry)
        next = entry &+ 8
        continue
      }
      guard let start = next else { throw .damaged("its table of compact relocations does not begin with an address") }
      for bit in 0..<63 where entry >> UInt64(bit + 1) & 1 == 1 {
        guard let place = start.adding(UInt64(bit) * 8) else {
          throw .damaged("its table of compact relocations leads out of memory")
        }
        try checkCompact(at: place)
      }
      next = start &+ 63 * 8
    }
  }

  private mutating func checkCompact(at place: UInt64) throws(ELFMistake) {
    count += 1
    try checkPlace(place, 8)
    if lists.contains(where: { $0.contains(place) }) { functions[place] = image.number(at: place, as: UInt64.self) }
  }

  /// Checks the functions that the loader calls when the library is loaded, and when the process ends.
  private func checkFunctions() throws(ELFMistake) {
    for tag in [ELFTag.initialiser, ELFTag.finaliser] {
      guard let address = dynamic[tag] else { continue }
      guard image.isCode(address) else {
        throw .damaged("its initialiser or finaliser at \(address.hexadecimal) is not code")
      }
    }
    for place in lists.flatMap({ stride(from: $0.lowerBound, to: $0.upperBound, by: 8) }) {
      guard let written = functions[place] else {
        throw .damaged(
          "its list of initialisers or finalisers has an entry at \(place.hexadecimal) that is not relocated")
      }
      guard written.map(image.isCode) ?? true else {
        throw .damaged("its list of initialisers or finalisers has an entry at \(place.hexadecimal) that is not code")
      }
    }
  }
}
