import Foundation
import Testing

extension EndToEnd {
  /// A header, read by clang, becomes a file with which the library is called.
  @Suite struct AdoptTests {
    private static let draft: HostProcess.Ending? = try? HostProcess.run(
      "adopt", AdoptableLibrary.header, "--library", AdoptableLibrary.path)

    /// The part of the file about a function: what is to be checked, and its signature.
    private func entry(_ name: String) throws -> [Substring] {
      let lines = try #require(Self.draft).text.split(separator: "\n")
      let index = try #require(lines.firstIndex { $0.hasPrefix("  - signature: '\(name)(") }, "\(name)")
      let checks = lines[..<index].reversed().prefix { $0.hasPrefix("  # check: ") }
      let rest = lines[(index + 1)...].prefix { $0.hasPrefix("    ") }
      return (checks.reversed() + [lines[index]] + rest).map { $0.drop { $0 == " " } }
    }

    @Test(arguments: [
      ("shape_add", "(a: i32, b: i32) -> i32"),
      ("shape_pair", "(pair: {left: i32, right: i32, tag: [u8; 4]}) -> {left: i32, right: i32, tag: [u8; 4]}"),
      ("shape_middle", "(from: {x: f64, y: f64}, to: &{x: f64, y: f64}) -> {x: f64, y: f64}"),
      ("shape_kind", "(side: u32, letter: i8, strict: bool, size: usize, small: i8) -> i32"),
      ("shape_name", "(shape: ptr<shape_t>) -> cstr?"), ("shape_new", "(name: cstr) -> ptr<shape_t>?"),
      ("shape_free", "(shape: ptr<shape_t>)"), ("shape_data", "(any: ptr<void>?) -> ptr<void>?"),
    ])
    func whatAPrototypeSaysIsWritten(name: String, types: String) throws {
      #expect(try entry(name).first == "- signature: '\(name)\(types)'")
    }

    @Test(arguments: [
      ("shape_move", "(point: inout {x: f64, y: f64}, by: f64)", "point is taken to be read and written"),
      ("shape_sum", "(seed: u32, data: bytes[length], length: usize) -> u32", "data is taken to have length elements"),
      ("shape_mean", "(values: &[f64; count], count: i32) -> f64", "values is taken to have count elements"),
      (
        "shape_write",
        "(dest: out bytes[dest_len], dest_len: inout u64, source: bytes[source_len], source_len: u64) -> i32",
        "dest is taken to have room for dest_len elements"
      ),
      ("shape_text", "(buffer: out str[size], size: usize) -> i32", "buffer is taken to have room for size elements"),
      ("shape_split", "(value: f64, whole: out i32) -> f64", "whole is taken to be one i32 that is written"),
      (
        "shape_open", "(path: cstr, shape: out ptr<shape_t>?) -> i32",
        "shape is taken to be one address that is written"
      ),
    ])
    func whatItLeavesOpenIsToBeChecked(name: String, types: String, check: String) throws {
      let entry = try entry(name)
      #expect(entry.contains("- signature: '\(name)\(types)'"), "\(entry)")
      #expect(entry.first?.hasPrefix("# check: \(check)") ?? false, "\(entry)")
    }

    @Test(arguments: [
      ("shape_format", "variadic: "), ("shape_list", "takes a va_list"),
      ("shape_each", "'visit' is a function pointer: nothing says how long it may be called; write it as fn(...)"),
      ("shape_number", "'number' is a union: "), ("shape_flags", "'flags' has bit-fields: "),
      ("shape_long", "long double: "), ("shape_die", "does not return"),
      ("shape_copy", "'to' is written to, and nothing says how much room it needs"),
      ("shape_id", "nothing says how many elements 'id' has"),
      ("shape_pipe", "nothing says how many elements 'ends' has"),
      ("shape_first", "nothing says how many elements 'values' has"), ("shape_callback", "returns a function pointer"),
      ("shape_inline", "inline"), ("shape_missing", "the library does not export it"),
    ])
    func whatHasNoSafeReadingIsLeftOutWithTheReason(name: String, reason: String) throws {
      let draft = try #require(Self.draft)
      #expect(draft.text.contains("\n#   \(name): \(reason)"), "\(draft.text)")
      #expect(draft.errors.contains("\n  \(name): \(reason)"))
      #expect(!draft.text.contains("'\(name)("))
    }

    @Test func theRestOfAnEntryComesFromTheHeaderToo() throws {
      #expect(try entry("shape_add").last == "description: 'Adds two numbers.'")
      #expect(try entry("shape_renamed").contains("symbol: 'shape_real_name'"))
      // Which of two counts is whose, nothing says: then it is an address.
      #expect(
        try entry("shape_read").last?.contains("(data: ptr<void>?, size: usize, count: usize, file: ptr<FILE>)")
          ?? false)
      #expect(try #require(Self.draft).status == 0)
      #expect(
        try #require(Self.draft).errors.hasPrefix(
          "\(AdoptableLibrary.header): 17 functions, 7 of them to be checked, 14 left out\n"))
    }

    @Test func theFileIsAPlugin() throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).adopt.yaml")
      defer { try? FileManager.default.removeItem(at: file) }
      let adopted = try HostProcess.run(
        "adopt", AdoptableLibrary.header, "--library", AdoptableLibrary.path, "--id", "org.example.shapes", "-o",
        file.path)
      #expect(adopted.text == "" && adopted.status == 0)
      #expect(try HostProcess.run("list", file.path).text == "org.example.shapes  3  17 functions\n")
      #expect(try HostProcess.run("call", file.path, "shape_add", "40", "2").text == "42\n")
      #expect(try HostProcess.run("call", file.path, "shape_renamed", "7").text == "-7\n")
    }

    @Test func headersOfLibrariesOnThisMachineAreRead() throws {
      let zlib = try HostProcess.run("adopt", "zlib.h", "--library", "libz.so.1")
      #expect(zlib.status == 0)
      #expect(zlib.text.contains("library: 'libz.so.1'\n"))
      #expect(
        zlib.text.contains(
          "'compress(dest: out bytes[destLen], destLen: inout u64, source: bytes[sourceLen], sourceLen: u64) -> i32'"))
      #expect(!zlib.text.contains("fopen"))
      let math = try HostProcess.run("adopt", "math.h", "--library", "libm.so.6", "-D_GNU_SOURCE")
      #expect(math.text.contains("'frexp(x: f64, exponent: out i32) -> f64'"), "\(math.errors)")
    }

    @Test(arguments: [
      (["none.h", "--library", "libm.so.6"], 64, "none.h: no such header here, or in "),
      (["math.h", "--library", "libnone.so"], 2, "libnone.so: no such library"), (["math.h"], 64, "--library"),
      (["math.h", "--library", "libm.so.6", "--clang", "/none/clang"], 1, "/none/clang: No such file or directory"),
      (["math.h", "--library", "libm.so.6", "--flag=-Dsin=("], 1, "clang finds mistakes in "),
      (["stdint.h", "--library", "libm.so.6"], 1, "declares no function that "),
    ])
    func whatCannotBeReadIsSaid(words: [String], status: Int32, part: String) throws {
      let host = try HostProcess(["adopt"] + words)
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == status, "\(ending.errors)")
      #expect(ending.errors.contains(part), "\(ending.errors)")
    }
  }
}
