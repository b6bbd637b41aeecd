import PluginRuntime
import Testing

/// Bytes whose number the signature states: `bytes[4]`, C's `uint8_t data[4]`.
@Suite("Bytes of a stated number")
struct StatedBytes {
  private static let code = """
    #include <stdint.h>
    #include <string.h>
    void digest(const uint8_t *data, size_t n, uint8_t *md, uint32_t *s) {
      memset(md, 0, 8);
      memcpy(md, data, n < 8 ? n : 8);
      *s = n;
    }
    void filled(uint8_t *md) { memcpy(md, "abcd", 4); }
    int32_t tell(uint8_t *to, int32_t n) { memset(to, 'x', 4); return n; }
    int32_t sum(const uint8_t *key) { return key ? key[0] + key[1] + key[2] + key[3] : -1; }
    void flip(uint8_t *all) { for (int i = 0; i < 4; i++) all[i] ^= 1; }
    int32_t put(uint8_t **to, int32_t n) { memcpy(*to, "12", 2); *to += n; return n; }
    """
  private static let signatures = [
    "digest(data: bytes[n], n: usize, md: out bytes[8], s: out u32 counts md)", "filled(md: out bytes[4])",
    "tell(to: out bytes[4], n: i32) -> i32 counts to", "sum(key: bytes[4]?) -> i32", "flip(all: inout bytes[4])",
    "put(to: out moving bytes[2], n: i32) -> i32",
  ]

  private static func host() throws -> Host {
    let host = Host()
    try host.adopt(
      Adoption(
        id: "test.code", library: try Fixture.library("code", from: code, by: "cc"),
        functions: try signatures.map { Adoption.Function(signature: try Signature(parsing: $0)) }))
    return host
  }

  @Test("is written by the function, which may say how many it wrote")
  func written() async throws {
    let host = try Self.host()
    #expect(try await host.value("digest", .text("abc")).json == #"{"md":"YWJj"}"#)
    #expect(try await host.value("filled").json == #"{"md":"YWJjZA=="}"#)
    #expect(try await host.value("tell", .text("2")).json == #"{"result":2,"to":"eHg="}"#)
    #expect(try await host.value("put", .text("1")).json == #"{"result":1,"to":"MQ=="}"#)
    let error = await host.outcome("digest", of: "test.code", [.text("123456789")]).message
    #expect(error.contains("returned 'md' that has 9 elements, expected at most 8"), "\(error)")
  }

  @Test("is read, as many as the function reads, and changed in place")
  func read() async throws {
    let host = try Self.host()
    #expect(try await host.value("sum", .value(.bytes([1, 2, 3, 4]))) == .int(10))
    #expect(try await host.value("sum") == .int(-1))
    #expect(try await host.value("flip", .text("0101")).json == #"{"all":"MTAxMA=="}"#)
    for text in ["", "abc", "abcde"] {
      let error = await host.outcome("sum", of: "test.code", [.text(text)]).message
      #expect(error.contains("argument 'key' has \(text.utf8.count) bytes, expected 4"), "\(error)")
    }
  }

  @Test("reaches a library in a worker process")
  func isolated() async throws {
    let host = Host()
    let adoption = Adoption(
      id: "test.code", library: try Fixture.library("code", from: Self.code, by: "cc"),
      functions: try Self.signatures.map { Adoption.Function(signature: try Signature(parsing: $0)) })
    try host.adopt(adoption, isolation: .tests)
    #expect(try await host.value("digest", .text("abc")).json == #"{"md":"YWJj"}"#)
    #expect(try await host.value("flip", .text("0101")).json == #"{"all":"MTAxMA=="}"#)
  }

  @Test("has the text, the canonical form and the C prototype of an array")
  func text() throws {
    for text in Self.signatures { #expect(try Signature(parsing: text).description == text) }
    let signature = try Signature(parsing: "f(key: bytes[4], md: out bytes[8], s: out u32 counts md)")
    #expect(signature.canonical == "(bytes[4], out bytes[8], out u32 counts #1)")
    #expect(signature.cPrototype.hasSuffix("void f(const uint8_t key[4], uint8_t md[8], uint32_t *s);"))
    #expect(try Signature(parsing: "f(to: out moving bytes[2])").cPrototype.hasSuffix("void f(uint8_t **to);"))
  }

  @Test(
    "stands where C has the address of an array",
    arguments: [
      ("f(a: bytes[0])", 12, "'0'", "a number of bytes, from 1"), ("f() -> bytes[4]", 8, "'bytes[4]'", "[u8; 4]"),
      ("f(a: own bytes[4])", 6, "'own bytes[4]'", "[u8; 4]"),
      ("f(a: bytes[4], s: out u32 counts a)", 34, "'a'", "bytes[64]"),
    ])
  func refused(_ text: String, _ column: Int, _ found: String, _ expected: String) {
    expectMistake(text, column, found, expected)
  }
}
