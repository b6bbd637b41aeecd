import PluginRuntime
import Testing

/// Elements of which there are none: the address of one that is 0, however large it is.
@Suite("Data without elements")
struct EmptyData {
  private static func host() throws -> Host {
    try Host.adopting(
      """
      #include <stddef.h>
      #include <stdint.h>
      #include <string.h>
      typedef struct { int64_t a, b, c; } point;
      typedef struct { const point *points; size_t n; } line;
      int64_t last(const point *points, size_t n, const point *next) { return points[0].c; }
      int64_t held(const line *line, const point *next) { return line->points[0].c; }
      void fill(point *to, size_t n, uint8_t *more, size_t size) { memset(to, 255, sizeof *to); }
      """,
      "last(points: &[{a: i64, b: i64, c: i64}; n], n: usize, next: &{a: i64, b: i64, c: i64}) -> i64",
      "held(line: &{points: &[{a: i64, b: i64, c: i64}; n], n: usize}, next: &{a: i64, b: i64, c: i64}) -> i64",
      "fill(to: out &[{a: i64, b: i64, c: i64}; n], n: usize, more: out bytes[size], size: usize)")
  }

  @Test("an argument is the address of an element of zeros")
  func argument() async throws {
    let host = try Self.host()
    // The host stores this argument behind the empty one.
    let next = Argument(name: "next", .text(#"{"a": 7, "b": 8, "c": 9}"#))
    #expect(try await host.value("last", Argument(name: "points", .text("[]")), next) == .int(0))
    #expect(try await host.value("held", Argument(name: "line", .text(#"{"points": []}"#)), next) == .int(0))
  }

  @Test("memory for an output has room for an element")
  func output() async throws {
    let filled = try await Self.host().value("fill", .value(.int(0)), .value(.int(16)))
    #expect(filled[member: "to"] == .array([]))
    #expect(filled[member: "more"] == .bytes([UInt8](repeating: 0, count: 16)))
  }
}
