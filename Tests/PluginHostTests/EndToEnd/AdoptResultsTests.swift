import Foundation
import Testing

extension EndToEnd {
  /// The results of functions in headers.
  @Suite struct AdoptResultsTests {
    private static let header = """
      #include <stddef.h>
      typedef struct thing thing;
      typedef int visitor(int);
      void nothing(int a);
      double number(int a);
      const char *kept(int a);
      char *given(int a);
      const wchar_t *wide(int a);
      const unsigned char *octets(int a);
      char **texts(int a);
      const int *first(int a);
      thing *found(int a);
      visitor *chosen(int a);
      visitor **table(int a);
      double *unit(int a, double *value);
      thing *thing_same(thing *t);
      const double *lasting(int a, double *value);
      void *hooked(thing *t, void (*hook)(void *user, int n), void *user);
      """
    private static let names = [
      "nothing", "number", "kept", "given", "wide", "octets", "texts", "first", "found", "chosen", "table",
      "unit", "thing_same", "lasting", "hooked",
    ]
    private static let source = names.map { "long \($0)(int a) { return 0; }\n" }.joined()

    @Test(arguments: [
      ("nothing", "(a: i32)", nil), ("number", "(a: i32) -> f64", nil), ("kept", "(a: i32) -> cstr?", nil),
      ("given", "(a: i32) -> cstr?", "the library's; if the caller frees it, it is own(free) cstr"),
      ("wide", "(a: i32) -> &[i32; 0]?", "the library's, and to end with a 0"),
      ("octets", "(a: i32) -> ptr<u8>?", nil),
      ("texts", "(a: i32) -> ptr<any>?", "&[cstr; 0] if it ends with NULL, own(f) &[cstr; 0] if f frees it"),
      ("first", "(a: i32) -> ptr<i32>?", nil), ("found", "(a: i32) -> ptr<thing>?", nil),
    ])
    func theTypeDecidesTheResult(name: String, types: String, check: String?) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types)
      let checks = adopted.checks(name)
      #expect(checks.count == (check == nil ? 0 : 1), "\(checks)")
      if let check { #expect(checks.first?.hasSuffix(check) == true, "\(checks)") }
    }

    @Test(arguments: [
      ("unit", "(a: i32, value: out f64) -> usize ! zero"),
      ("lasting", "(a: i32, value: out f64) -> usize ! zero"),
      // The context of an earlier call may be NULL, and an object is in memory of the library.
      (
        "hooked",
        "(t: ptr<thing>, hook: fn(user: context, n: i32) @forever, user: context) -> ptr<void>?"
      ),
      ("thing_same", "(t: ptr<thing>) -> ptr<thing>?"),
    ])
    func aResultInTheHostsMemoryIsANumber(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }

    @Test func aResultMayBeTheAddressOfAFunction() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature("chosen") == "chosen(a: i32) -> ptr<function>?")
      #expect(!adopted.signature("table").hasPrefix("#"), "\(adopted.signature("table"))")
    }
  }
}
