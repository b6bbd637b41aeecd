import Testing

@testable import PluginRuntime

#if arch(x86_64)
/// Linkers for other machines have no such option yet.
@Suite("Loading: relative relocations in the compact form")
struct CompactRelocations {
  /// Far more pointers than one bitmap has, and a function that is called at load time.
  private static let source = """
    __asm__(".data\\n.balign 8\\n.rept 40000\\n.quad target\\n.endr\\ntarget: .quad 0\\n.text\\n");
    static int started;
    __attribute__((constructor)) static void start(void) { started = 41; }
    int answer(void) { return started + 1; }
    """

  private let path: String
  private let library: LibraryFile

  init() throws {
    path = try Fixture.library("compact", from: Self.source, by: "cc", ["-Wl,-z,pack-relative-relocs"])
    library = try LibraryFile(path)
  }

  /// The offset of the table, which is in the first segment.
  private var table: Int {
    get throws { Int(library[try #require(library.dynamicEntry(ELFTag.relr))]) }
  }

  @Test("a library that has them is loaded, and its initialiser is called")
  func loaded() async throws {
    let host = Host()
    try host.adopt(
      Adoption(
        id: "test.compact", library: path,
        functions: [Adoption.Function(signature: try Signature(parsing: "answer() -> i32"))]))
    #expect(await host.outcome("answer", of: "test.compact").value == .int(42))
  }

  @Test(
    "a table that begins with a bitmap, has a part of a word, or leads to memory that cannot be written, is refused")
  func refused() throws {
    let table = try table
    var changed = library
    changed.set(table, UInt64(3))
    expect(.damaged, "does not begin with an address", changed)
    changed.set(table, library[try #require(library.dynamicEntry(ELFTag.strings))] & ~1)
    expect(.damaged, "is not in a writable segment", changed)
    changed = library
    changed.set(table + 8, library[try #require(library.dynamicEntry(ELFTag.strings))] & ~1)
    expect(.damaged, "is not in a writable segment", changed)
    changed = library
    let size = try #require(library.dynamicEntry(ELFTag.relrSize))
    changed.set(size, library[size] - 4)
    expect(.damaged, "ends within a word", changed)
  }

  /// The first word is relative to the end of the writable memory. The last bit of each table is that of the word
  /// before the end, or at the end, which is refused. A table that is accepted leaves out the function that is called
  /// at load time.
  @Test(
    "a bitmap is of the 63 words behind the address or the bitmap before it",
    arguments: [
      ([-16, 1 << 1 | 1], true), ([-8, 1 << 1 | 1], false), ([-63 * 8, 1 << 62 | 1], true),
      ([-63 * 8, .min | 1], false), ([-65 * 8, 1, 1 << 1 | 1], true), ([-64 * 8, 1, 1 << 1 | 1], false),
    ] as [([Int], Bool)])
  func bitmaps(_ words: [Int], isInside: Bool) throws {
    let segment = try #require(library.loads.last)
    let end = library[segment + LibraryFile.address] + library[segment + LibraryFile.memorySize]
    var changed = library
    changed.set(try #require(library.dynamicEntry(ELFTag.relrSize)), UInt64(8 * words.count))
    for (index, word) in words.enumerated() {
      changed.set(try table + 8 * index, index == 0 ? end.advanced(by: word) : UInt64(bitPattern: Int64(word)))
    }
    expect(.damaged, isInside ? "that is not relocated" : "is not in a writable segment", changed)
  }
}
#endif
