import Foundation
import Testing

@testable import PluginRuntime

/// Files that ask for more work than their size explains. The budgets are smaller than that of a host, so that the
/// tests are short; each is more than the file takes without the change.
@Suite("Loading: the work of verifying a file has a limit, for all numbers in it")
struct VerificationLimits {
  private let small: UInt64 = 1 << 20
  private let library: LibraryFile

  init() throws {
    library = try LibraryFile(try Fixture.plugin("whole", ["-Wl,--no-as-needed", "-lm", "-Wl,-u,cos"]))
    #expect(mistake(in: library, within: VerificationBudget(small)) == nil)
  }

  private func expectTooMuch(_ changed: LibraryFile, sourceLocation: SourceLocation = #_sourceLocation) {
    let error = mistake(in: changed, within: VerificationBudget(small))
    #expect(error?.message.hasPrefix("takes too much work to verify") == true, "\(error as Any)")
  }

  @Test("a budget that is spent stays so, also for work that costs less than was left")
  func spent() {
    let budget = VerificationBudget(10)
    #expect(budget.spend(10) && !budget.isSpent)
    #expect(!budget.spend(1) && budget.isSpent)
    #expect(!budget.spend(0) && !VerificationBudget(10).spend(.max))
  }

  @Test("lists of versions that share their entries are not read once for each list")
  func versions() throws {
    // 40 lists of 40 entries are 1,640 reads; a list of 400 entries behind one is 401.
    for (lists, entries, isTooMuch) in [(1, 400, false), (40, 40, true)] {
      var changed = library
      let list = Int(library[try #require(library.dynamicEntry(ELFTag.versionsNeeded))])
      let entry = list + Int(FileReader.number(library.bytes, at: list + 8, as: UInt32.self))
      let head = Array(library.bytes[list..<list + 16]), part = Array(library.bytes[entry..<entry + 16])
      let (address, offset) = try changed.append(
        (0..<lists).flatMap { _ in head } + (0..<entries).flatMap { _ in part })
      for index in 0..<lists {
        changed.set(offset + 16 * index + 8, UInt32(16 * (lists - index)))
        changed.set(offset + 16 * index + 12, UInt32(index < lists - 1 ? 16 : 0))
      }
      for index in 0..<entries {
        // The highest index: there are symbols with the version of other lists.
        changed.set(offset + 16 * (lists + index) + 6, UInt16(0x7FFF))
        changed.set(offset + 16 * (lists + index) + 12, UInt32(index < entries - 1 ? 16 : 0))
      }
      changed.set(try #require(library.dynamicEntry(ELFTag.versionsNeeded)), address)
      if isTooMuch { expectTooMuch(changed) } else { #expect(mistake(in: changed) == nil) }
    }
  }

  @Test("tables of a sparse file are not read into memory")
  func sparse() throws {
    for (tag, size) in [(ELFTag.strings, ELFTag.stringsSize), (ELFTag.rela, ELFTag.relaSize)] {
      var changed = library
      let (address, _) = try changed.append([], size: 1 << 39)
      changed.set(try #require(library.dynamicEntry(tag)), address)
      changed.set(try #require(library.dynamicEntry(size)), UInt64(1 << 39))
      let path = try Fixture.file("sparse.so", containing: changed.bytes)
      #expect(truncate(path, 1 << 40) == 0)
      let error = #expect(throws: PluginError.self) { try ELFVerifier.verify(PluginFile(opening: path)) }
      #expect(error?.message.hasPrefix("takes too much work to verify") == true, "\(error as Any)")
    }
  }

  @Test("a chain of a hash table ends within the symbols, not at the end of the file")
  func chains() throws {
    var changed = library
    // A bucket, whose chain begins with the symbol 1 and has only zeros.
    let words: [UInt32] = [1, 1, 1, 6, 0, 0, 1]
    let bytes = words.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    let (address, _) = try changed.append(bytes + [UInt8](repeating: 0, count: 1 << 20))
    changed.set(try #require(library.dynamicEntry(ELFTag.gnuHash)), address)
    let error = mistake(in: changed, within: VerificationBudget(small))
    #expect(error?.message.contains("has a chain without an end") == true, "\(error as Any)")
  }

  @Test("the functions that are called at load time count with the memory that they take")
  func functions() throws {
    var changed = library
    let (address, _) = try changed.append([UInt8](repeating: 0, count: 1 << 18))
    changed.set(try #require(library.dynamicEntry(ELFTag.initialisers)), address)
    changed.set(try #require(library.dynamicEntry(ELFTag.initialisersSize)), UInt64(1 << 18))
    expectTooMuch(changed)
  }

  @Test("names count as often as they are named")
  func names() throws {
    let source =
      "extern int \((0..<40).map { "u\($0)" }.joined(separator: ", "));\n"
      + "int *all[] = {\((0..<40).map { "&u\($0)" }.joined(separator: ", "))};\n"
      + "const void *promise_plugin_entry(unsigned abi) { return all; }"
    var changed = try LibraryFile(try Fixture.library("names", from: source, by: "cc"))
    #expect(mistake(in: changed, within: VerificationBudget(small)) == nil)
    let strings = Int(changed[try #require(changed.dynamicEntry(ELFTag.strings))])
    let size = Int(changed[try #require(changed.dynamicEntry(ELFTag.stringsSize))])
    let long = [UInt8](repeating: 0x78, count: 60_000) + [0]
    let (address, _) = try changed.append(Array(changed.bytes[strings..<strings + size]) + long)
    changed.set(try #require(changed.dynamicEntry(ELFTag.strings)), address)
    changed.set(try #require(changed.dynamicEntry(ELFTag.stringsSize)), UInt64(size + long.count))
    #expect(mistake(in: changed, within: VerificationBudget(small)) == nil)
    let symbols = Int(changed[try #require(changed.dynamicEntry(ELFTag.symbols))])
    for index in 1...40 where !ELFSymbol(changed.bytes, at: symbols + ELFSymbol.size * index).isDefined {
      changed.set(symbols + ELFSymbol.size * index, UInt32(size))
    }
    expectTooMuch(changed)
  }

  #if arch(x86_64)
  @Test("a word of compact relocations counts as many times as it stands for")
  func compactRelocations() throws {
    var changed = try LibraryFile(try Fixture.plugin("whole", ["-Wl,-z,pack-relative-relocs"]))
    #expect(mistake(in: changed, within: VerificationBudget(small)) == nil)
    let (address, _) = try changed.append([UInt8](repeating: 0xFF, count: 1 << 15))
    changed.set(try #require(changed.dynamicEntry(ELFTag.relr)), address)
    changed.set(try #require(changed.dynamicEntry(ELFTag.relrSize)), UInt64(1 << 15))
    expectTooMuch(changed)
  }
  #endif

  @Test("copies of a plugin and of the libraries that it needs count together")
  func copies() throws {
    // Without a DT_SONAME it is needed by its path.
    let needed = try Fixture.library("needed", from: "int needed;", by: "cc")
    let path = try Fixture.library(
      "needing", from: "extern int needed; int *place(void) { return &needed; }", by: "cc", [needed])
    func count(_ copies: Int64) throws -> Int {
      try LibraryDependencyOrder(
        of: PluginFile(opening: path), exporting: [], in: LoadedFiles(), within: VerificationBudget(copies: copies)
      ).members.count
    }
    let size = try [needed, path].reduce(0) { try $0 + PluginFile(opening: $1).identity.size }
    #expect(try count(size) == 2)
    let error = #expect(throws: PluginError.self) { try count(size - 1) }
    #expect(error?.description.contains("take at most a quarter of the memory") == true, "\(error as Any)")
  }

  @Test("the folders in which needed libraries are looked for count for each name, and of all libraries together")
  func folders() throws {
    let folder = URL(filePath: Fixture.file("x")).deletingLastPathComponent().path
    let path = (0..<20).map { "\(folder)/\($0)" }.joined(separator: ":")
    for name in ["first", "second"] {
      try FileManager.default.copyItem(
        atPath: try Fixture.library(
          name, from: "int \(name);", by: "cc",
          ["-Wl,--no-as-needed,--disable-new-dtags,-rpath,\(path):\(folder)"]
            + (name == "first" ? [] : ["-L\(folder)", "-l:first.so"])),
        toPath: "\(folder)/\(name).so")
    }
    let library = "\(folder)/second.so"
    func closure(_ budget: UInt64) throws -> [String] {
      try LibraryDependencies.closure(of: library, outside: ["/usr", "/lib"], within: VerificationBudget(budget))
    }
    #expect(try closure(1 << 20).prefix(2) == [library, "\(folder)/first.so"])
    let error = #expect(throws: PluginError.self) { try closure(80 << 10) }
    #expect(error?.message.contains("takes too much work to verify") == true, "\(error as Any)")
  }
}

extension LibraryFile {
  /// Appends a segment that can be written, in place of a dispensable program header behind the other segments'.
  /// Returns its address and its offset. The file has to be extended to its size.
  mutating func append(_ data: [UInt8], size: UInt64? = nil) throws -> (address: UInt64, offset: Int) {
    bytes += [UInt8](repeating: 0, count: (4096 - bytes.count % 4096) % 4096)
    let last = try #require(loads.last)
    let header = try #require(headers(ELFSegment.readOnlyAfterRelocation).first)
    let address = (self[last + Self.address] + self[last + Self.memorySize] + 8191) / 4096 * 4096
    let offset = bytes.count
    set(header, ELFSegment.load)
    set(header + 4, UInt32(6))
    set(header + Self.offset, UInt64(offset))
    set(header + Self.address, address)
    for field in [Self.fileSize, Self.memorySize] { set(header + field, size ?? UInt64(data.count)) }
    set(header + Self.alignment, UInt64(4096))
    bytes += data
    return (address, offset)
  }
}
