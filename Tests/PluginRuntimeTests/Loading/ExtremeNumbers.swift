import Foundation
import Testing

@testable import PluginRuntime

/// Files with numbers at the ends of their ranges, which must be verified or refused: an overflow would end the host.
@Suite("Loading: numbers at the ends of their ranges")
struct ExtremeNumbers {
  /// The distances that all addresses of a library are moved by: to the ends of the ranges of addresses.
  static let distances: [UInt64] = [
    0, ELFSegment.end - 1 << 20, (1 << 63) - 1 << 20, UInt64.max - 1 << 20 + 1,
  ]
  private static let values: [UInt64] = [
    0, 1, 1 << 31, UInt64(UInt32.max), ELFSegment.end - 1, 1 << 63, .max - 4095, .max - 7, .max,
  ]

  @Test(
    "no combination of such numbers in headers, tables and lists ends the process",
    arguments: ["-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv"], ExtremeNumbers.distances)
  func random(style: String, distance: UInt64) throws {
    let library = try NumberFile(style, movedBy: distance)
    var dice = Dice(seed: 13)
    for _ in 0..<100 {
      var changed = library.file
      for _ in 0...dice.roll(3) { changed.set(dice.pick(library.fields), dice.pick(Self.values)) }
      // The budget ends every loop.
      let error = mistake(in: changed, within: VerificationBudget(8 << 20))
      #expect(error?.message.isEmpty != true)
    }
  }

  @Test("a library at the end of the addresses is refused, wherever its tables lead out of them")
  func moved() throws {
    let library = try NumberFile("-Wl,--hash-style=gnu", movedBy: UInt64.max - 1 << 20 + 1)
    var filter = library.file
    filter.set(try library.offset(ELFTag.gnuHash) + 8, UInt32(1) << 31)
    var next = library.file
    next.set(try library.offset(ELFTag.versionsNeeded) + 12, UInt32.max)
    var first = library.file
    first.set(try library.offset(ELFTag.versionsNeeded) + 8, UInt32.max)
    var end = library.file
    let last = try #require(library.file.loads.last)
    end.set(last + LibraryFile.memorySize, UInt64.max - 4095 - library.file[last + LibraryFile.address])
    for changed in [filter, next, first, end] {
      expect(.notAPlugin, "has a segment that does not fit into memory", changed)
    }
  }

  @Test("a library below the end of the addresses is verified, and a list that leads out of it is refused")
  func below() throws {
    let library = try NumberFile("-Wl,--hash-style=gnu", movedBy: ELFSegment.end - 1 << 20)
    #expect(mistake(in: library.file) == nil)
    var changed = library.file
    changed.set(try library.offset(ELFTag.versionsNeeded) + 8, UInt32.max)
    expect(.damaged, "its list of versions leads out of the file", changed)
  }
}

/// A plugin with versions of symbols, all of whose addresses were moved.
private struct NumberFile {
  private(set) var file: LibraryFile
  private let original: LibraryFile
  /// The offsets of numbers that the verifier calculates with.
  private(set) var fields: [Int] = []

  init(_ style: String, movedBy distance: UInt64) throws {
    original = try LibraryFile(try Fixture.plugin("whole", [style, "-Wl,--no-as-needed", "-lm", "-Wl,-u,cos"]))
    file = original
    let headers = (0..<Int(file.bytes[56])).map { Int(file[32]) + ELFSegment.size * $0 }
    for header in headers {
      file.set(header + LibraryFile.address, file[header + LibraryFile.address] &+ distance)
      fields += [8, 16, 32, 40, 48].map { header + $0 }
    }
    let tags = ELFTag.tables.map(\.address) + ELFTag.addresses
    for entry in tags.compactMap(file.dynamicEntry) { file.set(entry, file[entry] &+ distance) }
    try moveRelocations(distance)
    let numbers = tags + ELFTag.tables.map(\.size) + ELFTag.texts + [ELFTag.relaCount]
    fields += [32, 40, 54] + numbers.compactMap(file.dynamicEntry)
    // Each table that begins with numbers: of hash tables, versions, relocations and symbols.
    for tag in [ELFTag.gnuHash, ELFTag.hash, ELFTag.versionsNeeded, ELFTag.rela, ELFTag.symbols] {
      guard let table = original.dynamicEntry(tag).map({ Int(original[$0]) }) else { continue }
      fields += (0..<12).map { table + 4 * $0 }
    }
  }

  /// Moves the places of relocations, the addresses that they write, and the symbols.
  private mutating func moveRelocations(_ distance: UInt64) throws {
    for (table, size) in [(ELFTag.rela, ELFTag.relaSize), (ELFTag.pltRelocations, ELFTag.pltRelocationsSize)] {
      guard let size = file.dynamicEntry(size).map({ Int(file[$0]) }) else { continue }
      for entry in stride(from: try offset(table), to: try offset(table) + size, by: 24) {
        file.set(entry, file[entry] &+ distance)
        let type = UInt32(truncatingIfNeeded: file[entry + 8])
        if ELFRelocationType.named(type)?.role == .relative { file.set(entry + 16, file[entry + 16] &+ distance) }
      }
    }
    for symbol in stride(from: try offset(ELFTag.symbols), to: try offset(ELFTag.strings) - 23, by: ELFSymbol.size)
    where ELFSymbol(file.bytes, at: symbol).isDefined {
      file.set(symbol + 8, file[symbol + 8] &+ distance)
    }
  }

  /// Returns the offset of a table. Those that are read are in the first segment, whose addresses are offsets.
  func offset(_ tag: UInt64) throws -> Int { Int(original[try #require(original.dynamicEntry(tag))]) }
}
