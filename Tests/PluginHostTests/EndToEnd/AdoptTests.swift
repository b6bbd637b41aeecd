import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// A header, read by clang, becomes a file with which the library is called.
  @Suite struct AdoptTests {
    private static let draft: HostProcess.Ending? = try? HostProcess.run(
      "adopt", AdoptableLibrary.header, "--library", AdoptableLibrary.path)

    /// The draft with functions for whose memory the header states no size.
    private static let draftWithMemory: HostProcess.Ending? = try? HostProcess.run(
      "adopt", AdoptableLibrary.header, "--library", AdoptableLibrary.path, "--caller-memory")

    /// Returns the part of the file about a function: the points to check, and its signature.
    private func entry(_ name: String, in draft: HostProcess.Ending? = Self.draft) throws -> [Substring] {
      let lines = try #require(draft).text.split(separator: "\n")
      let index = try #require(lines.firstIndex { $0.hasPrefix("  - signature: '\(name)(") }, "\(name)")
      let checks = lines[..<index].reversed().prefix { $0.hasPrefix("  # check: ") }
      let rest = lines[(index + 1)...].prefix { $0.hasPrefix("    ") }
      return (checks.reversed() + [lines[index]] + rest).map { $0.drop { $0 == " " } }
    }

    @Test("a file that cannot be made is refused before clang runs")
    func outputs() throws {
      let ending = try HostProcess.run(
        "adopt", AdoptableLibrary.header, "--library", AdoptableLibrary.path, "--clang", "/none", "-o", "/none/x.yaml")
      #expect(ending.status == 1, "\(ending)")
      #expect(ending.errors == "plugin-host: the result cannot be written: /none/x.yaml: No such file or directory\n")
    }

    @Test("adopt writes the absolute path of a library given by a relative one, because the file may be elsewhere")
    func aRelativeLibraryGetsItsWholePath() throws {
      let library = URL(filePath: AdoptableLibrary.path)
      let host = try HostProcess(["adopt", AdoptableLibrary.header, "--library", "./\(library.lastPathComponent)"])
      host.process.currentDirectoryURL = library.deletingLastPathComponent()
      try host.process.run()
      let ending = try host.wait()
      let line = try #require(ending.text.split(separator: "\n").first { $0.hasPrefix("library: ") }, "\(ending)")
      #expect(line.contains("/\(library.lastPathComponent)") && !line.contains("./"), "\(line)")
    }

    @Test(arguments: [
      ("shape_add", "(a: i32, b: i32) -> i32"), ("shape_long", "(x: f64x) -> f64x"),
      ("shape_pair", "(pair: {left: i32, right: i32, tag: [u8; 4]}) -> {left: i32, right: i32, tag: [u8; 4]}"),
      // Objects are passed by their address: those whose address a function returns, and those with more data behind
      // their fields.
      ("counted_release", "(counted: own ptr<counted_t>)"), ("packet_send", "(packet: ptr<packet_t>) -> i32"),
      ("points_fill", "(points: ptr<point_t>, n: i32) -> i32"), ("points_sort", "(points: ptr<point_t>) -> i32"),
      ("shape_middle", "(from: {x: f64, y: f64}, to: &{x: f64, y: f64}) -> {x: f64, y: f64}"),
      (
        "shape_kind",
        "(side: u32 enum {SHAPE_LEFT = 0, SHAPE_RIGHT = 1}, letter: i8, strict: bool, size: usize, small: i8) -> i32"
      ),
      // Nothing shows that an object belongs to the caller if it may be kept elsewhere.
      ("counted_next", "(counted: ptr<counted_t>) -> ptr<counted_t>?"),
      ("shape_name", "(shape: ptr<shape_t>) -> cstr?"), ("shape_new", "(name: cstr) -> own ptr<shape_t>?"),
      ("shape_free", "(shape: own ptr<shape_t>)"), ("shape_data", "(any: ptr<void>) -> ptr<void>?"),
    ])
    func writesTheSignatureOfAPrototype(name: String, types: String) throws {
      #expect(try entry(name).contains("- signature: '\(name)\(types)'"))
    }

    @Test(arguments: [
      ("shape_move", "(point: inout {x: f64, y: f64}, by: f64)", "point is taken to be read and written"),
      ("shape_sum", "(seed: u32, data: bytes[length], length: usize) -> u32", "data is taken to have length elements"),
      ("shape_mean", "(values: &[f64; count], count: i32) -> f64", "values is taken to have count elements"),
      (
        "shape_write",
        "(dest: out bytes[dest_len], dest_len: inout u64 = 65536, source: bytes[source_len], source_len: u64) -> i32",
        "dest is taken to have room for dest_len elements"
      ),
      ("shape_text", "(buffer: out str[size], size: usize) -> i32", "buffer is taken to have room for size elements"),
      ("shape_split", "(value: f64, whole: out i32) -> f64", "whole is taken to be one i32 that is written"),
      (
        "shape_lookup", "(path: cstr?, other: out ptr<shape_t>?) -> i32",
        "path is taken to be NULL where it is left out"
      ),
      (
        "counted_open", "(path: cstr, counted: out own(counted_release) ptr<counted_t>?) -> i32",
        "counted is taken to be one address that is written"
      ),
      (
        "counted_new", "(encoding: cstr?) -> own(counted_release) ptr<counted_t>?",
        "encoding is taken to be NULL where it is left out"
      ),
      (
        "shape_each",
        "(shape: ptr<shape_t>, visit: fn(ctx: context, point: {x: f64, y: f64}?) -> i32 @call, ctx: context)",
        "visit is taken to be called before the function returns"
      ),
      ("shape_advance", "(place: inout i32) -> i32", "place is taken to be one i32 that is read and written"),
      ("shape_id", "(id: inout [u8; 16])", "id is taken to be 16 elements that are read and written"),
      ("shape_pipe", "(ends: inout [i32; 2])", "ends is taken to be 2 elements that are read and written"),
      ("shape_digest", "(key: [u8; 16], digest: inout [u8; 32])", "digest is taken to be 32 elements that are read"),
      (
        "shape_arguments", "(argc: i32, argv: &[cstr; argc]) -> i32",
        "argv is taken to be argc elements that are read, not written"
      ),
      (
        "shape_units", "(shape: ptr<shape_t>, text: out &[u16; textCapacity], textCapacity: i32) -> i32",
        "text is taken to have room for textCapacity elements"
      ),
      (
        "shape_find", "(from: ptr<shape_t>, found: out ptr<shape_t>?) -> i32",
        "found is taken to be one address that is written"
      ),
      (
        "session_receive", "(session: ptr<SESSION>, buffer: out bytes[buflen], buflen: usize, n: out usize) -> i32",
        "buffer is taken to have room for buflen elements"
      ),
      (
        "shape_setbuffer", "(shape: ptr<shape_t>, buffer: keep str[size], size: usize) -> i32",
        "buffer is taken to be read, in the call or later"
      ),
      (
        "session_send", "(session: ptr<SESSION>, data: bytes[length], length: usize) -> i32",
        "data is taken to have length elements"
      ),
    ])
    func listsOpenQuestionsToCheck(name: String, types: String, check: String) throws {
      let entry = try entry(name)
      #expect(entry.contains("- signature: '\(name)\(types)'"), "\(entry)")
      #expect(entry.first?.hasPrefix("# check: \(check)") ?? false, "\(entry)")
    }

    @Test(arguments: [
      ("shape_copy", "to", "char", "'to' is written to, and nothing says how much room it needs"),
      ("shape_hash", "md", "u8", "nothing says how many elements 'md' has"),
      ("shape_status", "state", "uint8_t", "nothing says how many elements 'state' has"),
      ("shape_flag", "flag", "bool", "nothing says how many elements 'flag' has"),
      ("shape_letter", "letter", "wchar_t", "nothing says how many elements 'letter' has"),
      ("shape_keep", "slot", "any", "'slot' may be an array of addresses, or be kept"),
      ("shape_open", "shape", "any", "'shape' may be an array of addresses, or be kept"),
      ("shape_encode", "to", "u8", "nothing says how many elements 'to' has"),
      ("shape_measure", "v", "f64", "nothing says how many elements 'v' has"),
      ("shape_errors", "errors", "i32", "nothing says how many elements 'errors' has"),
      ("shape_read", "data", "void", "'data' may be written to, and nothing says how much room it needs"),
    ])
    func aWriteIsNotGuessed(name: String, parameter: String, type: String, reason: String) throws {
      try aFunctionWithoutASafeReadingIsLeftOutWithTheReason(name: name, reason: reason)
      let entry = try entry(name, in: Self.draftWithMemory)
      #expect(entry.contains { $0.contains("\(parameter): ptr<\(type)>") }, "\(entry)")
      let end = ": give memory that suffices, of memory_new"
      #expect(entry.contains { $0.hasPrefix("# check: \(reason)") && $0.hasSuffix(end) }, "\(entry)")
    }

    @Test(arguments: [
      ("shape_list", "takes a va_list, which only C code can make: write a C function that makes it of other"),
      ("shape_vformat", "takes a va_list, which only C code can make: call shape_format\n"),
      ("shape_format_va", "takes a va_list, which only C code can make: call shape_format\n"),
      ("shape_answers", "takes a callback with a va_list, which only C code can read: write a C function"),
      ("shape_number", "'number' is a union: "), ("shape_flags", "'flags' has bit-fields: "),
      ("shape_die", "does not return"), ("shape_inline", "inline"),
      ("shape_missing", "the library does not export it"),
    ])
    func aFunctionWithoutASafeReadingIsLeftOutWithTheReason(name: String, reason: String) throws {
      let draft = try #require(Self.draft)
      #expect(draft.text.contains("\n#   \(name): \(reason)"), "\(draft.text)")
      #expect(draft.errors.contains("\n  \(name): \(reason)"))
      #expect(!draft.text.contains("'\(name)("))
    }

    @Test func theRestOfAnEntryComesFromTheHeaderToo() throws {
      #expect(try entry("shape_add").last == "description: 'Adds two numbers.'")
      #expect(try entry("shape_renamed").contains("symbol: 'shape_real_name'"))
      #expect(try #require(Self.draft).status == 0)
      #expect(
        try #require(Self.draft).errors.hasPrefix(
          "\(AdoptableLibrary.header): 38 functions, 23 of them to be checked, 20 left out\n"))
      #expect(
        try #require(Self.draftWithMemory).errors.hasPrefix(
          "\(AdoptableLibrary.header): 49 functions, 37 of them to be checked, 9 left out\n"))
    }

    @Test func theFileIsAPlugin() throws {
      let file = TemporaryPath(".adopt.yaml")
      let adopted = try HostProcess.run(
        "adopt", AdoptableLibrary.header, "--library", AdoptableLibrary.path, "--id", "org.example.shapes", "-o",
        file.path)
      #expect(adopted.text == "" && adopted.status == 0)
      #expect(try HostProcess.run("list", file.path).text == "org.example.shapes  3  38 functions\n")
      #expect(try HostProcess.run("call", file.path, "shape_add", "40", "2").text == "42\n")
      #expect(try HostProcess.run("call", file.path, "shape_renamed", "7").text == "-7\n")
    }

    /// Makes a header in a new folder, and adopts it there.
    private static func adopt(_ name: String, _ words: [String]) throws -> HostProcess.Ending {
      let folder = try TemporaryFolder()
      try folder.write("double sqrt(double x);\n", to: name)
      let host = try HostProcess(["adopt", "--library", "libm.so.6"] + words + ["--", name])
      host.process.currentDirectoryURL = folder.url
      try host.process.run()
      return try host.wait()
    }

    @Test(arguments: [
      "-fplugin=x.h", "@x.h", "a\nlibrary: evil\n#.h", "a\u{2028}library: evil.h", "null.h", "a\": 'b.h", "a\rb.h",
    ])
    func theNameOfAHeaderIsNothingElse(name: String) throws {
      let adopted = try Self.adopt(name, ["--id=\(name)"])
      #expect(adopted.status == 0, "\(adopted.errors)")
      let lines = adopted.text.split { $0 == "\n" || $0 == "\r\n" || $0 == "\u{2028}" || $0 == "\r" }
      #expect(lines.filter { !$0.hasPrefix("#") }.count == 4, "\(adopted.text)")
      let own = try Self.adopt(name, [])
      let file = TemporaryPath(".adopt.yaml")
      try own.output.write(to: file.url)
      #expect(try HostProcess.run("call", "--raw", file.path, "sqrt", "9").text == "3.0\n")
    }

    @Test func clangIsStoppedAtTheDeadlineWithAllThatItStarted() throws {
      let folder = try TemporaryFolder()
      let script = folder.url.appending(path: "clang")
      let gate = folder.url.appending(path: "gate")
      #expect(mkfifo(gate.path, 0o600) == 0)
      let reader = open(gate.path, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      // A child in the same group that keeps the gate open for writing until the child ends.
      try Data("#!/bin/sh\nsleep 120 > \(gate.path) &\nwait\n".utf8).write(to: script)
      #expect(chmod(script.path, 0o700) == 0)
      let ending = try HostProcess.run(
        "adopt", "math.h", "--library", "libm.so.6", "--clang", script.path, "--timeout", "0.5")
      #expect(ending.status == 3)
      #expect(ending.errors == "plugin-host: \(script.path): timed out after 0.5 s\n")
      // The child was killed, so the FIFO soon has no writer.
      var byte: UInt8 = 0
      let deadline = Date(timeIntervalSinceNow: 60)
      while read(reader, &byte, 1) < 0, Date() < deadline { usleep(2_000) }
      #expect(read(reader, &byte, 1) == 0)
    }

    @Test("files for clang and for the check are removed in the end")
    func temporaryFiles() throws {
      let folder = try TemporaryFolder()
      try folder.write("#define SEVEN 7\nint abs(int x);\n", to: "a.h")
      try FileManager.default.createDirectory(atPath: folder.path("tmp"), withIntermediateDirectories: false)
      for options in [[], ["--check"]] {
        let ending = try HostProcess.run(
          ["adopt"] + options + [folder.path("a.h"), "--library", "libc.so.6"],
          environment: ["TMPDIR": folder.path("tmp")])
        #expect(ending.status == 0 && ending.text.contains("  SEVEN: 7\n"), "\(ending)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("tmp")) == [], "\(options)")
      }
    }

    @Test func headersOfLibrariesOnThisMachineAreRead() throws {
      let zlib = try HostProcess.run("adopt", "zlib.h", "--library", "libz.so.1")
      #expect(zlib.status == 0)
      #expect(zlib.text.contains("library: 'libz.so.1'\n"))
      #expect(
        zlib.text.contains(
          "'compress(dest: out bytes[destLen], destLen: inout u64 = 65536, source: bytes[sourceLen], sourceLen: u64) -> i32 "
            + "! nonzero message zError(result)'"))
      #expect(!zlib.text.contains("fopen"))
      let math = try HostProcess.run("adopt", "math.h", "--library", "libm.so.6", "-D_GNU_SOURCE")
      #expect(math.text.contains("'frexp(x: f64, exponent: out i32) -> f64'"), "\(math.errors)")
    }

    @Test(arguments: [
      (["none.h", "--library", "libm.so.6"], 64, "none.h: no such header here, or in "),
      (["no/e.h", "--library", "libm.so.6", "--flag", "-I/tmp"], 64, "; -I adds a folder, and --flag does not"),
      (["math.h", "--library", "libnone.so"], 2, "libnone.so: no such library"), (["math.h"], 64, "--library"),
      (["math.h", "--library", "libm.so.6", "--clang", "/none/clang"], 1, "/none/clang: No such file or directory"),
      (["math.h", "--library", "libm.so.6", "--flag=-Dsin=("], 1, "clang finds mistakes in "),
      (["stdint.h", "--library", "libm.so.6"], 1, "declares no function that "),
    ])
    func unreadableDeclarationsAreReported(words: [String], status: Int32, part: String) throws {
      let ending = try HostProcess.run(["adopt"] + words)
      #expect(ending.status == status, "\(ending.errors)")
      #expect(ending.errors.contains(part), "\(ending.errors)")
      #expect(ending.text == "", "nothing is written that is no adoption")
    }
  }
}
