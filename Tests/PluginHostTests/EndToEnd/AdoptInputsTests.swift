import Foundation
import Testing

extension EndToEnd {
  /// Memory that a function reads, though its declaration has no const.
  @Suite struct AdoptInputsTests {
    private static let header = """
      typedef struct stream stream;
      typedef struct gz *gz;
      int BZ2_bzwrite(stream *b, void *buf, int len);
      int squeeze(char *dest, unsigned int *destLen, char *source, unsigned int sourceLen, int level);
      int write_parts(char *dest, unsigned int *destLen, int level);
      int image_write_to_memory(stream *image, void *data, int len);
      int write_copy(stream *image, char *dest, int len);
      int rand_r(unsigned int *seed);
      int gzread(gz file, void *buf, unsigned int len);
      int take(gz file, void *buf, unsigned int len);
      void fill(gz file, void *buf, unsigned int len);
      int look(const char *display_name, const char *name);
      """
    private static let source = """
      int BZ2_bzwrite() { return 0; } int squeeze() { return 0; } int write_parts() { return 0; }
      int image_write_to_memory() { return 0; } int write_copy() { return 0; }
      int rand_r(unsigned int *seed) { return *seed += 1; }
      int gzread(void *file, char *buf, unsigned int len) { buf[0] = 'h'; buf[1] = 'i'; return 2; }
      int take() { return 0; } void fill() {} int look() { return 0; }
      """

    @Test(arguments: [
      ("BZ2_bzwrite", "(b: ptr<stream>, buf: bytes[len], len: i32) -> i32 ! negative"),
      (
        "squeeze",
        "(dest: out str[destLen], destLen: inout u32 = 65536, source: str[sourceLen], sourceLen: u32, level: i32) -> i32"
      ),
      ("write_parts", "(dest: out str[destLen], destLen: inout u32 = 65536, level: i32) -> i32"),
      ("image_write_to_memory", "(image: ptr<stream>, data: out bytes[len], len: i32) -> i32"),
      ("write_copy", "(image: ptr<stream>, dest: out str[len], len: i32) -> i32"),
      ("rand_r", "(seed: inout u32) -> i32"),
      ("gzread", "(file: ptr<gz>, buf: out bytes[len], len: u32) -> i32 counts buf"),
      ("take", "(file: ptr<gz>, buf: out bytes[len], len: u32) -> i32"),
      ("fill", "(file: ptr<gz>, buf: out bytes[len], len: u32)"),
      ("look", "(display_name: cstr?, name: cstr) -> i32"),
    ])
    func namesShowWhichPointersAreRead(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    @Test func theNumberOfWordsIsReadAndReplaced() throws {
      let header = "typedef struct parser parser;\nint parse_options(parser *p, int *argc, char ***argv);"
      let adopted = try AdoptedHeader.of(header, source: "int parse_options() { return 0; }", ["--caller-memory"])
      #expect(
        adopted.signature("parse_options")
          == "parse_options(p: ptr<parser>, argc: inout i32, argv: ptr<any>) -> i32", "\(adopted.draft.errors)")
    }

    @Test func aCountAsTheResultIsMarked() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let marks = adopted.draft.text.split(separator: "\n").filter { $0.contains("room for len elements") }
      #expect(marks.count { $0.hasSuffix("; if the result counts them, it is counts buf") } == 1, "\(marks)")
      #expect(marks.count { $0.hasSuffix(", and the result to count them") } == 1, "\(marks)")
      let next = try adopted.call("rand_r", "6")
      #expect(next == #"{"result":7,"seed":7}"# + "\n")
    }

    @Test func aHeaderThatOnlyIncludesOthersIsAdoptedWithThoseOfItsFolder() throws {
      let folder = TemporaryPath()
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "include/a"), withIntermediateDirectories: true)
      let include = folder.url.appending(path: "include")
      for name in ["a.h", "b.h"] { try Data("#include \"a/core.h\"\n".utf8).write(to: include.appending(path: name)) }
      try Data("double cos(double x);\n".utf8).write(to: include.appending(path: "a/core.h"))
      let own = try HostProcess.run("adopt", "--library", "libm.so.6", include.appending(path: "a.h").path)
      #expect(own.text.contains("  - signature: 'cos(x: f64) -> f64'\n"), "\(own.errors)")
      let other = try HostProcess.run("adopt", "--library", "libm.so.6", include.appending(path: "b.h").path)
      #expect(other.status == 1 && other.text == "")
      let place = include.appending(path: "a/core.h").path
      #expect(
        other.errors.contains("; of the headers that it includes, these declare some: \(place) (1)\n"),
        "\(other.errors)")
    }
  }
}
