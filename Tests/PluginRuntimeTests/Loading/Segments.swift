import Foundation
import Testing

@testable import PluginRuntime

@Suite("Loading: segments, symbols and tables with false sizes, kinds or places")
struct Segments {
  @Test("a segment with more bytes in the file than in memory is refused")
  func largerInFile() throws {
    var library = try LibraryFile(try Fixture.plugin("whole"))
    let code = try #require(library.loads.first)
    library.set(code + LibraryFile.memorySize, library[code + LibraryFile.fileSize] - 1)
    expect(.notAPlugin, "a segment that does not fit into memory", library)
  }

  @Test("a segment beyond the end of memory is refused")
  func beyondMemory() throws {
    var library = try LibraryFile(try Fixture.plugin("whole"))
    let data = try #require(library.loads.last)
    let address = library[data + LibraryFile.address]
    library.set(data + LibraryFile.address, UInt64.max - 15)
    expect(.notAPlugin, "a segment that does not fit into memory", library)
    library.set(data + LibraryFile.address, address)
    library.set(data + LibraryFile.memorySize, UInt64.max - address)
    expect(.notAPlugin, "a segment that does not fit into memory", library)
  }

  @Test("more program headers than a linker writes are refused")
  func headers() throws {
    var library = try LibraryFile(try Fixture.plugin("whole"))
    let table = Int(library[32])..<Int(library[32]) + ELFSegment.size * Int(library.bytes[56])
    let empty = [UInt8](repeating: 0, count: ELFSegment.size * (65 - table.count / ELFSegment.size))
    // PT_PHDR is the header of the table's place: those of shared libraries have none.
    library.set(32, UInt64(library.bytes.count))
    let headers = library.bytes[table] + empty
    library.bytes += headers
    library.set(56, UInt16(64))
    #expect(mistake(in: library) == nil)
    library.set(56, UInt16(65))
    expect(.damaged, "it has 65 program headers, expected at most 64", library)
  }

  @Test("a segment beyond the end of the file is refused")
  func beyondFile() throws {
    var library = try LibraryFile(try Fixture.plugin("whole"))
    let data = try #require(library.loads.last)
    library.set(data + LibraryFile.offset, UInt64(library.bytes.count))
    expect(.truncated, "its segments", library)
  }

  @Test("loaded segments that are not aligned, or overlap, are refused")
  func loads() throws {
    var library = try LibraryFile(try Fixture.plugin("whole"))
    let (first, last) = (try #require(library.loads.first), try #require(library.loads.last))
    let size = library[first + LibraryFile.memorySize]
    library.set(first + LibraryFile.memorySize, size + 1 << 20)
    expect(.damaged, "overlaps the one before", library)
    library.set(first + LibraryFile.memorySize, size)
    library.set(last + LibraryFile.alignment, UInt64(3 << 12))
    expect(.damaged, "is not aligned as its header says", library)
  }

  @Test("a second part of a kind, one that is not loaded, and impossible thread-local memory are refused")
  func parts() throws {
    let library = try LibraryFile(try Fixture.plugin("whole"))
    let unwinding = try #require(library.headers(ELFSegment.unwinding).first)
    var second = library
    second.set(unwinding, ELFSegment.dynamic)
    expect(.damaged, "two program headers of type 0x2", second)
    var elsewhere = library
    elsewhere.set(unwinding + LibraryFile.address, library[unwinding + LibraryFile.address] + 1 << 20)
    expect(.damaged, "names memory that is not in its segments", elsewhere)
    var local = library
    local.set(unwinding, ELFSegment.threadLocal)
    local.set(unwinding + LibraryFile.alignment, UInt64(3))
    expect(.damaged, "its thread-local memory", local)
    var fixed = library
    let relocated = try #require(library.headers(ELFSegment.readOnlyAfterRelocation).first)
    fixed.set(relocated + LibraryFile.memorySize, UInt64(1 << 24))
    expect(.damaged, "is not in a writable segment", fixed)
    fixed.set(relocated + LibraryFile.memorySize, library[relocated + LibraryFile.memorySize])
    #expect(mistake(in: fixed) == nil)
    // The first segment is read-only.
    let first = try #require(library.loads.first)
    fixed.set(relocated + LibraryFile.address, library[first + LibraryFile.address])
    fixed.set(relocated + LibraryFile.fileSize, UInt64(0))
    fixed.set(relocated + LibraryFile.memorySize, UInt64(8))
    expect(.damaged, "is not in a writable segment", fixed)
  }

  @Test("an entry that is a function by its name only is refused")
  func outsideCode() throws {
    let source = """
      __asm__(".data\\n.globl promise_plugin_entry\\n.type promise_plugin_entry, %function\\n"
              "promise_plugin_entry: .long 0\\n.size promise_plugin_entry, 4\\n.text\\n");
      """
    let path = try Fixture.library("outside", from: source, by: "cc")
    expect(.noEntry, "has promise_plugin_entry outside its code", try LibraryFile(path))
  }

  @Test("an entry that the library chooses as it is loaded is refused, for that runs its code")
  func indirect() throws {
    let source = """
      static const void *entry(unsigned abi) { return (void)abi, (void *)0; }
      static void *choose(void) { return (void *)entry; }
      const void *promise_plugin_entry(unsigned abi) __attribute__((ifunc("choose")));
      """
    let path = try Fixture.library("indirect", from: source, by: "cc")
    expect(.noEntry, "defines promise_plugin_entry as an indirect function", try LibraryFile(path))
  }

  @Test("symbols in the part of a segment that is not in the file are refused")
  func symbolsInZeros() throws {
    var library = try LibraryFile(try Fixture.plugin("whole"))
    #expect(mistake(in: library) == nil)
    let data = try #require(library.loads.last)
    let symbols = try #require(library.dynamicEntry(6))
    let strings = try #require(library.dynamicEntry(5))
    // The first segment has these tables, at addresses that are offsets too.
    let table = library.bytes[Int(library[symbols])..<Int(library[strings])]
    let distance = UInt64(library.bytes.count) - library[data + LibraryFile.offset]
    library.bytes += table
    library.set(symbols, library[data + LibraryFile.address] + distance)
    library.set(data + LibraryFile.memorySize, distance + UInt64(table.count))
    expect(.damaged, "its symbols are not in the file", library)
  }

  @Test("an initialiser in the part of the code's segment that is not in the file is refused")
  func codeInZeros() throws {
    var library = try LibraryFile(try Fixture.plugin("whole", ["-Wl,-init=promise_plugin_entry"]))
    let code = try #require(library.loads.first { library[$0] >> 32 & 1 == 1 })
    let initialiser = try #require(library.dynamicEntry(ELFTag.initialiser))
    let end = library[code + LibraryFile.address] + library[code + LibraryFile.fileSize]
    library.set(code + LibraryFile.memorySize, library[code + LibraryFile.fileSize] + 1)
    #expect(mistake(in: library) == nil)
    library.set(initialiser, end - 1)
    #expect(mistake(in: library) == nil)
    library.set(initialiser, end)
    expect(.damaged, "its initialiser or finaliser at 0x\(String(end, radix: 16)) is not code", library)
  }

  @Test("a circle of symbols is refused", .timeLimit(.minutes(30)))
  func circle() throws {
    var library = try LibraryFile(try Fixture.plugin("missing-entry", ["-Wl,--hash-style=sysv"]))
    let table = Int(library[try #require(library.dynamicEntry(4))])
    let buckets = Int(library[table] & 0xFFFF_FFFF)
    for bucket in 0..<buckets { library.set(table + 8 + 4 * bucket, UInt32(1)) }
    library.set(table + 8 + 4 * buckets + 4, UInt32(1))
    expect(.damaged, "its hash table has a chain without an end", library)
  }
}

func mistake(in library: LibraryFile, within budget: VerificationBudget = VerificationBudget()) -> PluginError? {
  do {
    let path = try Fixture.file("changed.so", containing: library.bytes)
    try ELFVerifier.verify(PluginFile(opening: path), within: budget)
    return nil
  } catch {
    return error as? PluginError
  }
}

func expect(
  _ kind: PluginError.Kind, _ message: String, _ library: LibraryFile, sourceLocation: SourceLocation = #_sourceLocation
) {
  let error = mistake(in: library)
  #expect(error?.kind == kind, "\(String(describing: error))", sourceLocation: sourceLocation)
  #expect(error?.message.contains(message) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
}

/// The bytes of a library, whose numbers can be changed. Nothing of it is loaded.
struct LibraryFile {
  var bytes: [UInt8]

  init(_ path: String) throws { bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  /// The number in the 8 bytes at an offset.
  subscript(_ offset: Int) -> UInt64 { FileReader.number(bytes, at: offset) }

  mutating func set<T: FixedWidthInteger>(_ offset: Int, _ number: T) {
    withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<offset + $0.count, with: $0) }
  }

  /// The offsets of the program headers of loaded segments, in the order of their addresses.
  var loads: [Int] { headers(1) }
  /// The offsets of a program header's fields.
  static let offset = 8, address = 16, fileSize = 32, memorySize = 40, alignment = 48

  /// Returns the offset of the value of an entry of the dynamic section.
  func dynamicEntry(_ tag: UInt64) -> Int? {
    guard let header = headers(2).first else { return nil }
    let start = Int(self[header + Self.offset])
    let entries = stride(from: start, to: start + Int(self[header + Self.fileSize]), by: 16)
    return entries.first { self[$0] == tag }.map { $0 + 8 }
  }

  func headers(_ type: UInt32) -> [Int] {
    (0..<Int(bytes[56])).map { Int(self[32]) + ELFSegment.size * $0 }.filter {
      FileReader.number(bytes, at: $0) == type
    }
  }
}
