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
    let size = try #require(library.dynamicEntry(ELFTag.relrSize))
    changed.set(size, library[size] - 4)
    expect(.damaged, "ends within a word", changed)
  }
}
#endif
