import Testing

@testable import PluginRuntime

@Suite("Loading: tables of the loader that lead out of the file, or contradict each other")
struct LoaderTables {
  private let library: LibraryFile
  private let symbols, strings: UInt64

  init() throws {
    library = try LibraryFile(try Fixture.plugin("whole"))
    symbols = library[try #require(library.dynamicEntry(ELFTag.symbols))]
    strings = library[try #require(library.dynamicEntry(ELFTag.strings))]
    #expect(library.headers(ELFSegment.threadLocal).isEmpty)
  }

  /// Returns the address of a table, which is its offset too: the first segment has the tables.
  private func table(_ tag: UInt64) throws -> Int { Int(library[try #require(library.dynamicEntry(tag))]) }

  /// The number of symbols that the table has space for.
  private var capacity: UInt64 {
    let tags = ELFTag.tables.map(\.address) + ELFTag.addresses
    let next = tags.compactMap { library.dynamicEntry($0) }.map { library[$0] }.filter { $0 > symbols }.min()
    return ((next ?? symbols) - symbols) / UInt64(ELFSymbol.size)
  }

  /// Returns the library with other numbers in it.
  private func with<T: FixedWidthInteger>(_ changes: (Int, T)...) -> LibraryFile {
    var copy = library
    for (offset, number) in changes { copy.set(offset, number) }
    return copy
  }

  /// Returns the library with another entry of the dynamic section in place of the number of relative relocations.
  private func with(entry tag: UInt64, _ value: UInt64) throws -> LibraryFile {
    let place = try #require(library.dynamicEntry(ELFTag.relaCount))
    return with((place - 8, tag), (place, value))
  }

  @Test("entries of the dynamic section that contradict each other are refused")
  func dynamicEntries() throws {
    let table = try #require(library.dynamicEntry(ELFTag.pltGOT))
    expect(.damaged, "global offset table is not in a writable", with((table, strings)))
    let size = library[try #require(library.dynamicEntry(ELFTag.stringsSize))]
    expect(.damaged, "does not end with a NUL", with((Int(strings + size) - 1, UInt8(ascii: "x"))))
    expect(.damaged, "a name outside the string table", try with(entry: ELFTag.name, size))
    let all = library[try #require(library.dynamicEntry(ELFTag.relaSize))] / 24
    expect(.damaged, "relocations, fewer than its DT_RELACOUNT", try with(entry: ELFTag.relaCount, all + 1))
    expect(.damaged, "has the size of a table, tag 0x23, but no", try with(entry: ELFTag.relrSize, 8))
    expect(.damaged, "has the tag 0x5 twice", try with(entry: ELFTag.strings, strings))
  }

  @Test("a list of versions of another revision, and a hash table with an odd filter, are refused")
  func forms() throws {
    expect(.damaged, ", expected 1", try with(entry: ELFTag.versionsNeeded, strings))
    expect(.damaged, "has 3 filter words, expected a power of two", with((try table(ELFTag.gnuHash) + 8, UInt32(3))))
  }

  @Test("a relocation for a symbol, or for thread-local memory, that does not exist is refused")
  func relocations() throws {
    let first = try table(ELFTag.rela)
    let entries = stride(
      from: first, to: first + Int(library[try #require(library.dynamicEntry(ELFTag.relaSize))]), by: 24)
    let named = try #require(entries.first { library[$0 + 8] >> 32 > 0 })
    let type = library[named + 8] & 0xFFFF_FFFF
    expect(.damaged, "names the symbol \(capacity), which is not there", with((named + 8, capacity << 32 | type)))
    // Behind a relocation without effect, too.
    let second = try #require(entries.first { $0 > named && library[$0 + 8] >> 32 > 0 })
    let changed = with((named + 8, 0), (second + 8, capacity << 32 | type))
    expect(.damaged, "names the symbol \(capacity), which is not there", changed)
    #if arch(x86_64)
    let threadLocal: UInt64 = 16
    #else
    let threadLocal: UInt64 = 1028
    #endif
    let defined = try #require((1..<capacity).first { isDefined($0) })
    expect(.damaged, "for thread-local memory, of which it has none", with((named + 8, defined << 32 | threadLocal)))
    // A linker that has dropped a relocation leaves zeros.
    let empty = with((named, UInt64(0)), (named + 8, UInt64(0)))
    try ELFVerifier.verify(PluginFile(opening: try Fixture.file("changed.so", containing: empty.bytes)))
  }

  @Test("thread-local memory that is too large, and a symbol behind its end, are refused")
  func threadLocal() throws {
    let unwinding = try #require(library.headers(ELFSegment.unwinding).first)
    var local = library
    local.set(unwinding, ELFSegment.threadLocal)
    let symbol = Int(symbols) + ELFSymbol.size * Int(try #require((1..<capacity).first { isDefined($0) }))
    // STT_TLS.
    local.set(symbol + 4, local.bytes[symbol + 4] & 0xF0 | 6)
    local.set(symbol + 8, local[unwinding + LibraryFile.memorySize] + 1)
    expect(.damaged, "outside its memory", local)
    local.set(unwinding + LibraryFile.memorySize, UInt64(1 << 28) + 8)
    expect(.damaged, "its thread-local memory", local)
  }

  @Test("an image of thread-local memory that is larger than the memory is refused")
  func threadLocalImage() throws {
    let unwinding = try #require(library.headers(ELFSegment.unwinding).first)
    var local = library
    local.set(unwinding, ELFSegment.threadLocal)
    #expect(local[unwinding + LibraryFile.memorySize] == local[unwinding + LibraryFile.fileSize])
    local.set(unwinding + LibraryFile.memorySize, local[unwinding + LibraryFile.fileSize] - 1)
    expect(.damaged, "its thread-local memory", local)
  }

  @Test("an indirect function whose resolver is not code is refused")
  func indirectFunction() throws {
    let symbol = Int(symbols) + ELFSymbol.size * Int(try #require((1..<capacity).first { isDefined($0) }))
    // STT_GNU_IFUNC, at the symbols themselves, which are mapped.
    var indirect = library
    indirect.set(symbol + 4, indirect.bytes[symbol + 4] & 0xF0 | 10)
    indirect.set(symbol + 8, symbols)
    expect(.damaged, "outside its memory", indirect)
  }

  @Test("a bucket of the hash table with a symbol before the table's first one is refused")
  func earlyBucket() throws {
    let table = try table(ELFTag.gnuHash)
    let (first, filterWords) = (library[table] >> 32, Int(library[table + 8] & 0xFFFF_FFFF))
    try #require(first > 1)
    let changed = with((table + 16 + 8 * filterWords, UInt32(1)))
    expect(.damaged, "has the symbol 1 in a bucket, expected none before \(first)", changed)
  }

  @Test("versions of symbols without a list of versions are refused")
  func versionsWithoutAList() throws {
    let list = [ELFTag.versionsNeeded, ELFTag.versionsDefined].compactMap { library.dynamicEntry($0) }
    try #require(list.isEmpty)
    // No symbol has a version of its own: such an index would be refused as too large.
    var changed = try with(entry: ELFTag.versions, strings)
    for symbol in 0..<Int(capacity) { changed.set(Int(strings) + 2 * symbol, UInt16(0)) }
    expect(.damaged, "its symbols have versions, but there is no list of them", changed)
  }

  @Test("a file that ends within its section headers is refused")
  func sections() {
    let size = UInt64(FileReader.number(library.bytes, at: 58, as: UInt16.self))
    expect(.truncated, "its section headers", with((40, UInt64(library.bytes.count) - size)))
  }

  private func isDefined(_ index: UInt64) -> Bool {
    ELFSymbol(library.bytes, at: Int(symbols) + ELFSymbol.size * Int(index)).isDefined
  }
}
