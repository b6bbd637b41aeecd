import PluginRuntime
import Promises
import Testing

/// Parameters that are fields of a struct: `at ptr<stream> {...}` and `at {...}`.
@Suite("Fields at an address")
struct FieldsAtAddresses {
  private static let code = """
    #include <ctype.h>
    #include <stdbool.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    struct stream {
      const uint8_t *next_in; uint32_t avail_in; uint64_t total;
      uint8_t *next_out; uint32_t avail_out;
      struct stream *self;
    };
    struct stream *stream_new(void) {
      struct stream *s = calloc(1, sizeof *s);
      s->avail_out = 77;
      return s->self = s;
    }
    void stream_free(struct stream *s) { free(s); }
    int32_t upper(struct stream *s, int32_t least) {
      if (s->self != s || s->avail_out < (uint32_t)least) return -1;
      for (; s->avail_in && s->avail_out; s->avail_in--, s->avail_out--, s->total++)
        *s->next_out++ = (uint8_t)toupper(*s->next_in++);
      return s->avail_in == 0;
    }
    bool is_clean(const struct stream *s) {
      return !s->next_in && !s->avail_in && !s->next_out && s->avail_out == 77;
    }
    struct out { void *dst; size_t size; size_t pos; };
    struct in { const void *src; size_t size; size_t pos; };
    int64_t copy(struct out *out, struct in *in, int64_t most) {
      if (out->pos || in->pos) return -1;
      for (; most && out->pos < out->size && in->pos < in->size; most--)
        ((char *)out->dst)[out->pos++] = ((const char *)in->src)[in->pos++];
      return (int64_t)(in->size - in->pos);
    }
    int32_t overrun(struct out *out) { out->pos = out->size + 1; return 0; }
    int32_t written(uint8_t *to, uint32_t room, uint32_t *count) { memset(to, 'x', room); *count = room / 2; return 1; }
    struct all { int16_t kind; char name[6]; const char *text; double x; };
    int32_t named(struct all *all, int32_t n) {
      int32_t sum = all->kind + (int32_t)strlen(all->name) + (int32_t)strlen(all->text) + (int32_t)all->x + n;
      all->kind = 9;
      strcpy(all->name, "abc");
      return sum;
    }
    """
  private static let stream =
    "at ptr<stream> {next_in: moving bytes[avail_in] = \"\", avail_in: inout u32, total: out u64, "
    + "next_out: out moving bytes[avail_out], avail_out: inout u32 = 4}"

  private static func host() throws -> Host {
    try Host.adopting(
      code, "stream_new() -> own(stream_free) ptr<stream>", "upper(s: \(stream), least: i32 = 0) -> i32 ! negative",
      "is_clean(s: ptr<stream>) -> bool",
      "copy(output: at {dst: out bytes[room], room: usize = 8, written: out usize counts dst}, "
        + "input: at {src: bytes[size], size: usize, read: out usize}, most: i64 = 100) -> i64 ! negative",
      "overrun(output: at {dst: out bytes[room], room: usize = 8, written: out usize counts dst}) -> i32",
      "written(to: out bytes[room], room: u32, count: out u32 counts to) -> i32",
      "named(all: at {kind: inout i16, name: inout str[6], text: cstr, x: const f64 = 2.5}, n: i32) -> i32")
  }

  @Test("of an object are arguments, and give the rest and the written elements")
  func object() async throws {
    let host = try Self.host()
    let stream = try await host.value("stream_new")
    let first = try await host.value("upper", .value(stream), .text("abcdef"))
    #expect(first.json == #"{"result":0,"next_in":"ZWY=","total":4,"next_out":"QUJDRA=="}"#)
    let rest = try #require(first[member: "next_in"])
    let second = try await host.value("upper", .value(stream), .value(rest), Argument(name: "avail_out", .text("9")))
    #expect(second.json == #"{"result":1,"next_in":"","total":6,"next_out":"RUY="}"#)
    let none = try await host.value("upper", .value(stream))
    #expect(none.json == #"{"result":1,"next_in":"","total":6,"next_out":""}"#)
  }

  @Test("do not leave the address of an argument in the object, also after a failure")
  func clean() async throws {
    let host = try Self.host()
    let stream = try await host.value("stream_new")
    _ = try await host.value("upper", .value(stream), .text("abcdef"))
    #expect(try await host.value("is_clean", .value(stream)) == .bool(true))
    let least = Argument(name: "least", .text("100"))
    #expect(await host.outcome("upper", of: "test.code", [.value(stream), .text("a"), least]).promiseError?.code == -1)
    #expect(try await host.value("is_clean", .value(stream)) == .bool(true))
  }

  @Test("of a struct of the call alone are arguments, whose elements another field counts")
  func structure() async throws {
    let host = try Self.host()
    let all = try await host.value("copy", Argument(name: "src", .text("abc")))
    #expect(all.json == #"{"result":0,"dst":"YWJj","read":3}"#)
    let cut = try await host.value("copy", .text("2"), .text("abc"))
    #expect(cut.json == #"{"result":1,"dst":"YWI=","read":2}"#)
    let named = try await host.value("named", .text("1"), .text("four"), .text("xy"), .text("100"))
    #expect(named.json == #"{"result":109,"kind":9,"name":"abc"}"#)
    let written = try await host.value("written", .text("6"))
    #expect(written.json == #"{"result":1,"to":"eHh4"}"#)
  }

  @Test("that count more than there is room for are an error")
  func overrun() async throws {
    let host = try Self.host()
    let error = await host.outcome("overrun", of: "test.code", []).message
    #expect(error.contains("returned 'dst' that has 9 elements, expected at most 8"), "\(error)")
  }

  @Test("reach a library in a worker process")
  func isolated() async throws {
    let host = Host()
    let signatures = [
      "stream_new() -> own(stream_free) ptr<stream>", "upper(s: \(Self.stream), least: i32 = 0) -> i32 ! negative",
    ]
    let adoption = Adoption(
      id: "test.code", library: try Fixture.library("code", from: Self.code, by: "cc"),
      functions: try signatures.map { Adoption.Function(signature: try Signature(parsing: $0)) })
    try host.adopt(adoption, isolation: .tests)
    let stream = try await host.value("stream_new")
    let result = try await host.value("upper", .value(stream), .text("abcdef"))
    #expect(result.json == #"{"result":0,"next_in":"ZWY=","total":4,"next_out":"QUJDRA=="}"#)
  }
}
