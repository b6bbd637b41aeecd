/// Checks the tables that the dynamic section names, as the loader and the functions that run at load time use them:
/// nothing in them leads outside the library's memory, every list has an end, and each function that is called is code.
///
/// It proves nothing about the code itself.
struct ELFTableCheck {
  let dynamic: ELFDynamic
  var image: ELFImage { dynamic.image }
  var strings: [UInt8] { dynamic.strings }
  /// The memory that may hold symbols: from the symbol table to the next table, or to the end of the file.
  private(set) var symbols: [UInt8] = []
  /// The table by which symbols are found.
  private(set) var hashTable: ELFHashTable?
  /// The version of each symbol; empty if symbols have none.
  private(set) var versions: [UInt8] = []
  /// The number of symbols that the loader can reach.
  private(set) var symbolCount = 0
  /// The number of symbols that are one for all libraries of a process (STB_GNU_UNIQUE).
  private(set) var uniqueSymbolCount = 0
  /// Whether the library registers destructors of thread-local variables, as C++ does.
  private(set) var hasThreadLocalDestructors = false
  /// The number of relocations.
  private(set) var relocationCount = 0

  init(_ dynamic: ELFDynamic) throws(ELFMistake) {
    if let flags = dynamic[ELFTag.flags1], flags & ELFTag.isProgram != 0 {
      throw ELFMistake(.notAPlugin, "is a program, expected a shared library")
    }
    guard dynamic[ELFTag.strings] != nil, dynamic[ELFTag.symbols] != nil,
      dynamic[ELFTag.hash] != nil || dynamic[ELFTag.gnuHash] != nil
    else {
      throw ELFMistake(
        .notAPlugin, "has no dynamic symbols: expected a shared library that exports functions")
    }
    try Self.checkAddresses(dynamic)
    var dynamic = dynamic
    try dynamic.readStrings()
    self.dynamic = dynamic
    try checkEntries()
    let capacity = self.capacity
    guard let symbols = image.bytes(at: dynamic[ELFTag.symbols] ?? 0, capacity * UInt64(ELFSymbol.size)) else {
      throw .damaged("its symbols are not in the file")
    }
    self.symbols = symbols
    let found = try ELFHashTable.read(dynamic, capacity: capacity)
    hashTable = found?.table
    let relocations = try ELFRelocationCheck(dynamic, symbols: symbols)
    relocationCount = relocations.count
    symbolCount = max(Int(found?.symbolCount ?? 0), relocations.highestSymbol + 1)
    try checkSymbols()
    versions = try ELFVersionCheck(dynamic: dynamic).versions(symbolCount: symbolCount)
  }

  private static func checkAddresses(_ dynamic: ELFDynamic) throws(ELFMistake) {
    let image = dynamic.image
    let isOutside =
      ELFTag.tables.contains { table in
        dynamic[table.address].map { !image.isMapped($0, dynamic[table.size] ?? 0) } ?? false
      }
      || ELFTag.addresses.contains { tag in dynamic[tag].map { !image.isMapped($0, 1) } ?? false }
    if isOutside { throw .damaged("it has a dynamic section that points outside the file's segments") }
  }

  private func checkEntries() throws(ELFMistake) {
    let sizes: [(tag: UInt64, expected: UInt64, with: UInt64)] = [
      (ELFTag.symbolSize, 24, ELFTag.symbols), (ELFTag.relaEntrySize, 24, ELFTag.rela),
      (ELFTag.relrEntrySize, 8, ELFTag.relr), (ELFTag.pltRelocationsKind, ELFTag.rela, ELFTag.pltRelocations),
    ]
    for size in sizes where dynamic[size.with] != nil {
      guard dynamic[size.tag] == size.expected else {
        throw .damaged(
          "its dynamic section has \(dynamic[size.tag].map(String.init) ?? "nothing") for tag \(size.tag), "
            + "expected \(size.expected)")
      }
    }
    if dynamic[ELFTag.textRelocations] != nil || (dynamic[ELFTag.flags] ?? 0) & ELFTag.hasTextRelocations != 0 {
      throw ELFMistake(
        .unsafeMemory,
        "has relocations in its code, which would have to be writable: expected a plugin built with -fPIC")
    }
    for tag in [ELFTag.rel, ELFTag.audit, ELFTag.auditOfDependencies, ELFTag.configuration] where dynamic[tag] != nil {
      throw .damaged("its dynamic section has the tag \(tag.hexadecimal), which has no place in a library")
    }
    if let name = dynamic.texts(ELFTag.name).first, name.isEmpty || name.isPath {
      // The loader interprets such a name as a path.
      throw ELFMistake(.unsafeName, "has the name '\(name)' (DT_SONAME), expected a name without '/', and not ''")
    }
    if let table = dynamic[ELFTag.pltGOT], !image.isWritable(table, 24) {
      throw .damaged("its global offset table is not in a writable segment")
    }
  }

  /// The number of symbols that the table has space for.
  private var capacity: UInt64 {
    let start = dynamic[ELFTag.symbols] ?? 0
    let tables = ELFTag.tables.map(\.address) + ELFTag.addresses
    let next = tables.compactMap { dynamic[$0] }.filter { $0 > start }.min() ?? .max
    return min(image.bytesLeft(from: start), next - start) / UInt64(ELFSymbol.size)
  }

  private static let destructorFunctions = ["__cxa_thread_atexit", "__cxa_thread_atexit_impl"].map { Array($0.utf8) }

  private mutating func checkSymbols() throws(ELFMistake) {
    guard symbolCount * ELFSymbol.size <= symbols.count else { throw .damaged("its symbols are not in the file") }
    let threadLocal = image.segment(ELFSegment.threadLocal)?.memorySize ?? 0
    for index in 0..<symbolCount {
      let symbol = ELFSymbol(symbols, at: index * ELFSymbol.size)
      guard Int(symbol.nameOffset) < strings.count else {
        throw .damaged("its symbol \(index) has a name outside the string table")
      }
      if symbol.isUnique, symbol.isDefined { uniqueSymbolCount += 1 }
      guard symbol.isDefined else {
        let name = try dynamic.text(at: UInt64(symbol.nameOffset))
        if Self.destructorFunctions.contains(where: { name.elementsEqual($0) }) { hasThreadLocalDestructors = true }
        continue
      }
      let isInside =
        if symbol.isThreadLocal {
          symbol.address <= threadLocal
        } else if symbol.isIndirectFunction {
          image.isCode(symbol.address)
        } else {
          image.isMapped(symbol.address, 0)
        }
      guard isInside else {
        throw .damaged("its symbol \(index) is at \(symbol.address.hexadecimal), outside its memory")
      }
    }
  }
}
