import Testing

extension EndToEnd {
  /// Data whose address a function moves, beside the address of the number of bytes that are left.
  @Suite struct AdoptCursorsTests {
    private static let header = """
      #include <stddef.h>
      #include <stdint.h>
      int upper(size_t *available_in, const uint8_t **next_in, size_t *available_out, uint8_t **next_out);
      int skip(const char **from, unsigned *left, char until);
      int only_out(uint8_t **next_to, size_t *available_to);
      int mixed(uint8_t *to, size_t *to_size, const char **from, size_t *left);
      int other_order(const char **in, size_t *in_left, char **to, size_t *to_left);
      int texts(const char **all, size_t *flags);
      int lookup(int key, const char **data, size_t *len);
      int children(const unsigned char **names, int *len, int max);
      """
    private static let source = """
      #include <ctype.h>
      #include <stddef.h>
      #include <stdint.h>
      int upper(size_t *in_left, const uint8_t **in, size_t *out_left, uint8_t **out) {
        for (; *in_left && *out_left; --*in_left, --*out_left) *(*out)++ = (uint8_t)toupper(*(*in)++);
        return *in_left == 0;
      }
      int skip(const char **from, unsigned *left, char until) {
        while (*left && **from != until) ++*from, --*left;
        return *left > 0;
      }
      int only_out() { return 0; } int mixed() { return 0; } int other_order() { return 0; } int texts() { return 0; }
      int lookup() { return 0; } int children() { return 0; }
      """

    @Test(arguments: [
      (
        "upper",
        "(available_in: inout usize, next_in: moving bytes[available_in], available_out: inout usize = 65536, "
          + "next_out: out moving bytes[available_out]) -> i32"
      ),
      ("skip", "(from: moving bytes[left], left: inout u32, until: i8) -> i32"),
      (
        "other_order",
        "(in: moving bytes[in_left], in_left: inout usize, to: out moving bytes[to_left], "
          + "to_left: inout usize = 65536) -> i32"
      ),
      (
        "mixed",
        "(to: out bytes[to_size], to_size: inout usize = 65536, from: moving bytes[left], left: inout usize) -> i32"
      ),
      // Data that are written have no evidence of their own.
      ("only_out", "(next_to: ptr<any>, available_to: out usize) -> i32"),
    ])
    func anAddressBesideANumberIsMoved(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      #expect(adopted.signature(name) == name + types)
      // The function writes addresses of its own, or several.
      for name in ["texts", "lookup", "children"] { #expect(!adopted.signature(name).contains("moving"), "\(name)") }
    }

    @Test func theRestOfACallIsTheNextOnesInput() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let text = try adopted.shell(
        "use LIB as a", "one = a.upper available_out=3 next_in=abcde", "a.upper available_out=9 next_in=$one.next_in",
        "a.skip from=key=value until=61")
      #expect(
        text.split(separator: "\n").map(String.init) == [
          #"{"result":1,"next_in":"","next_out":"REU="}"#, #"{"result":1,"from":"PXZhbHVl"}"#,
        ])
    }

    @Test func theCheckCallsThem() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      for name in ["upper", "skip"] { #expect(adopted.signature(name).contains("moving"), "\(adopted.draft.text)") }
    }
  }
}
