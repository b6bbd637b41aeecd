import Foundation
import PluginRuntime
import Testing

@Suite("Loading: files that are not plugins")
struct Files {
  @Test("a path that leads nowhere is an error: not found")
  func missing() {
    expect(.notFound, "no such file", at: "/nonexistent/plugin.so")
    expect(.notFound, "is not a path", at: "")
    expect(.notFound, "is not a path", at: "plugin\0.so")
  }

  @Test("a FIFO is refused, and does not block")
  func fifo() {
    let path = Fixture.file("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    expect(.notAFile, "a FIFO", at: path)
  }

  @Test("a file of another kind is not opened: that may have an effect, as with a device or a FIFO")
  func opened() throws {
    let path = Fixture.file("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    let watcher = inotify_init1(Int32(IN_NONBLOCK))
    defer { close(watcher) }
    try #require(inotify_add_watch(watcher, path, UInt32(IN_OPEN)) >= 0)
    expect(.notAFile, "a FIFO", at: path)
    var event = [UInt8](repeating: 0, count: 4_096)
    #expect(read(watcher, &event, event.count) == -1 && errno == EAGAIN)
  }

  @Test("a directory, a device and a loop of links are refused")
  func irregular() throws {
    expect(.notAFile, "a directory", at: Fixture.folder.path)
    expect(.notAFile, "a device", at: "/dev/zero")
    let loop = Fixture.file("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    expect(.notReadable, "symbolic links", at: loop)
  }

  @Test("a file without a library in it is refused")
  func noLibrary() throws {
    expect(.notAPlugin, "is empty", at: try Fixture.file("empty", containing: []))
    expect(.notAPlugin, "not an ELF file", at: try Fixture.file("text", containing: "#!/bin/sh\nexit 0\n".utf8))
    expect(.notAPlugin, "not an ELF file", at: try Fixture.file("short", containing: [0x7F, 0x45]))
    expect(.truncated, "its header", at: try Fixture.file("magic", containing: [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]))
  }

  @Test("a file of another kind is refused before it is copied to memory")
  func large() throws {
    let path = try Fixture.file("large.so", containing: [])
    try #require(truncate(path, 1 << 40) == 0)
    expect(.notAPlugin, "not an ELF file", at: path)
  }

  @Test("an object file and a program are refused by their kind")
  func otherKinds() throws {
    let source = try Fixture.file("main.c", containing: "int main(void) { return 0; }\n".utf8)
    let object = Fixture.file("main.o")
    try Fixture.run("cc", ["-c", source, "-o", object])
    expect(.notAPlugin, "an object file that was not linked", at: object)
    let program = Fixture.file("main")
    try Fixture.run("cc", [source, "-no-pie", "-o", program])
    expect(.notAPlugin, "is a program", at: program)
    let movable = Fixture.file("main-pie")
    try Fixture.run("cc", [source, "-pie", "-fPIE", "-o", movable])
    expect(.notAPlugin, "is a program", at: movable)
  }

  @Test("a library for another machine is refused, and the machine is named")
  func otherMachines() throws {
    let library = try Data(contentsOf: URL(fileURLWithPath: try Fixture.plugin("whole")))
    func changed(_ offset: Int, _ value: UInt8) throws -> String {
      var copy = library
      copy[offset] = value
      return try Fixture.file("foreign.so", containing: copy)
    }
    expect(.wrongArchitecture, "built for AVR", at: try changed(18, 83), unlessNamed: "machine 83")
    #if arch(x86_64)
    expect(.wrongArchitecture, "built for AArch64, expected x86-64", at: try changed(18, 183))
    #else
    expect(.wrongArchitecture, "built for x86-64, expected", at: try changed(18, 62))
    #endif
    expect(.wrongArchitecture, "(32-bit)", at: try changed(4, 1))
    expect(.wrongArchitecture, "big-endian", at: try changed(5, 2))
  }

  @Test("a file that was cut off anywhere is refused")
  func truncated() throws {
    let library = try Data(contentsOf: URL(fileURLWithPath: try Fixture.plugin("whole")))
    for length in stride(from: 64, to: library.count, by: 509) {
      expect(.truncated, "ends at byte \(length)", at: try Fixture.file("cut.so", containing: library.prefix(length)))
    }
  }

  @Test("memory that is writable and executable is refused")
  func unsafeMemory() throws {
    expect(.unsafeMemory, "executable stack", at: try Fixture.plugin("whole", ["-Wl,-z,execstack"]))
    var library = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try Fixture.plugin("whole"))))
    // Flags are the second word of a program header: 4 to read, 2 to write, 1 to execute.
    let headers = (0..<Int(library[56])).map { 64 + 56 * $0 }
    let code = try #require(headers.first { library[$0] == 1 && library[$0 + 4] == 5 })
    library[code + 4] = 7
    expect(.unsafeMemory, "both writable and executable", at: try Fixture.file("rwx.so", containing: library))
  }

  @Test("no file, however damaged, ends the process")
  func damaged() throws {
    let library = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try Fixture.plugin("whole"))))
    // Everything that describes the file: its header, the program headers and the dynamic section. Code is not looked
    // at.
    let dynamic = try #require(programHeader(2, library))
    let interesting = Array(0..<64 + 56 * Int(library[56])) + Array(dynamic)
    let file = try DamagedFile(library)
    var refused = 0
    for offset in interesting {
      // A verifier cannot prove that a file is harmless, so one that passes is not loaded here. But it has to answer.
      for value: UInt8 in [0x00, 0xFF, library[offset] ^ 0x40] where try !file.verifies(value, at: offset) {
        refused += 1
      }
    }
    #expect(refused > interesting.count / 2)
  }

  @Test("tables outside the file's segments are refused")
  func damagedDynamicSection() throws {
    let library = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try Fixture.plugin("whole"))))
    let dynamic = try #require(programHeader(2, library))
    var refused: Set<UInt8> = []
    for entry in stride(from: dynamic.lowerBound, to: dynamic.upperBound, by: 16) {
      let tag = library[entry]
      // HASH or GNU_HASH, STRTAB, SYMTAB, RELA, INIT, FINI, INIT_ARRAY.
      guard [5, 6, 7, 12, 13, 25].contains(tag), library[entry + 1] == 0 else { continue }
      var copy = library
      copy[entry + 13] = 0x7F
      expect(.damaged, "points outside", at: try Fixture.file("wild.so", containing: copy))
      refused.insert(tag)
    }
    #expect(refused.isSuperset(of: [5, 6, 7]))
  }

  @Test("symbols outside the memory are refused if the library defines them")
  func damagedSymbols() throws {
    let library = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try Fixture.plugin("whole"))))
    let values = try #require(dynamicValues(library))
    let (symbols, strings) = (try #require(values[6]), try #require(values[5]))
    let file = try DamagedFile(library)
    var counts = (defined: 0, needed: 0)
    for symbol in stride(from: symbols + 24, to: strings - 23, by: 24) {
      let isDefined = library[symbol + 6] != 0 || library[symbol + 7] != 0
      // The highest byte of the address.
      #expect(try file.verifies(0x40, at: symbol + 15) == !isDefined)
      if isDefined { counts.defined += 1 } else { counts.needed += 1 }
    }
    #expect(counts.defined > 0 && counts.needed > 0)
  }

  @Test("initialisers and finalisers that are not code are refused")
  func damagedInitialisers() throws {
    let library = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try Fixture.plugin("whole"))))
    let dynamic = try #require(programHeader(2, library))
    let values = try #require(dynamicValues(library))
    let strings = try #require(values[5])
    func write(_ number: Int, at offset: Int, _ bytes: inout [UInt8]) {
      for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    }
    for entry in stride(from: dynamic.lowerBound, to: dynamic.upperBound, by: 16)
    where [12, 13].contains(library[entry]) && library[entry + 1] == 0 {
      var copy = library
      write(strings, at: entry + 8, &copy)
      expect(.damaged, "is not code", at: try Fixture.file("wild.so", containing: copy))
    }
    // The relocations of the lists, by their places.
    let (table, size) = (try #require(values[7]), try #require(values[8]))
    let places = try [25, 26].map { try #require(values[$0]) }
    var count = 0
    for relocation in stride(from: table, to: table + size, by: 24)
    where places.contains(number(at: relocation, library)) {
      var copy = library
      write(strings, at: relocation + 16, &copy)
      expect(.damaged, "that is not code", at: try Fixture.file("wild.so", containing: copy))
      count += 1
    }
    #expect(count == 2)
  }

  @Test("another file at a path that was loaded from is refused, not confused with the first")
  func replaced() throws {
    let path = try Fixture.plugin("whole")
    #expect(try Host.inspect(path).id == "test.whole")
    #expect(try Host.inspect(path).id == "test.whole")
    let other = try Fixture.plugin("table")
    #expect(rename(other, path) == 0)
    expect(.replaced, "only another process can load the new file", at: path)
  }

  @Test("an error of the system's loader names the file, not the descriptor by which it was opened")
  func loaderError() throws {
    let code = """
      static _Thread_local char large[1 << 20] __attribute__((tls_model("initial-exec")));
      char *large_address(void) { return large; }
      """
    let path = try Fixture.plugin("whole", [try Fixture.file("large.c", containing: code.utf8)])
    expect(.loadFailed, "cannot be loaded: \(path): cannot allocate memory in static TLS block", at: path)
  }

  @Test("a path may be relative or a link; the description has the file's own")
  func paths() throws {
    let path = try Fixture.plugin("whole")
    let link = Fixture.file("link.so")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(try Host.inspect(link).path == path)
  }
}

private func expect(
  _ kind: PluginError.Kind, _ message: String, at path: String, unlessNamed alternative: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let error = #expect(throws: PluginError.self, sourceLocation: sourceLocation) { try Host.inspect(path) }
  #expect(error?.kind == kind, "\(String(describing: error))", sourceLocation: sourceLocation)
  let text = error?.description ?? ""
  #expect(
    text.contains(message) || alternative.map(text.contains) ?? false, "\(text)", sourceLocation: sourceLocation)
}
