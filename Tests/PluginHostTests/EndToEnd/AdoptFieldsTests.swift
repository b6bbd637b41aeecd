import Foundation
import Testing

extension EndToEnd {
  /// Structs of a header that no function makes: `T_new`, and copies of their fields: `T_fields`.
  @Suite struct AdoptFieldsTests {
    private static let header = """
      typedef struct { long a; double b; } pair;
      double pair_sum(const pair *p, const void *unused);
      void pair_put(pair *p, void *unused);
      typedef union { int n; char text[12]; } any;
      int any_number(any *a);
      typedef struct { int kind; struct { int x, y; } place; void *data; } thing;
      thing *thing_get(int kind);
      typedef struct { int n, m; } item;
      int items_sum(const item *p, int count);
      int item_put(void *unused, item *p);
      typedef struct { int kind, size; } base;
      typedef struct { int kind, size; long more; } derived;
      void base_put(base *b, void *unused);
      typedef struct { void *at; int n; } view;
      int view_first(view *v);
      typedef struct { int n; int tail[1]; } open;
      int open_first(open *o);
      """
    private static let source = """
      #include <stdlib.h>
      typedef struct { long a; double b; } pair;
      double pair_sum(const pair *p, const void *unused) { return p->a + p->b; }
      void pair_put(pair *p, void *unused) { long a = p->a; p->a = p->b; p->b = a; }
      int any_number(int *a) { return ++*a; }
      typedef struct { int kind; struct { int x, y; } place; void *data; } thing;
      thing *thing_get(int kind) {
        thing *one = calloc(1, sizeof *one);
        one->kind = kind, one->place.x = 5, one->place.y = 6;
        return one;
      }
      int items_sum(void *p, int count) { return 0; } int item_put(void *u, void *p) { return 0; }
      void base_put(long *b, void *unused) { b[1] = 0; }
      int open_first(int *o) { return *o; }
      int view_first(void **v) { return v[0] == 0; }
      """

    @Test(arguments: [
      ("pair_new", "(made: out(16) own ptr<pair>, fields: &{a: i64, b: f64}, size: const usize = 16)"),
      ("pair_fields", "(fields: out {a: i64, b: f64}, struct: ptr<pair>, size: const usize = 16)"),
      ("any_new", "(made: out(12) ptr<any>, byte: const i32 = 0, size: const usize = 12)"),
      ("view_new", "(made: out(16) ptr<view>, fields: &{at: ptr<void>?, n: i32}, size: const usize = 16)"),
      (
        "thing_fields",
        "(fields: out {kind: i32, place: {x: i32, y: i32}, data: ptr<void>?}, struct: ptr<thing>, size: const usize = 24)"
      ),
      // The library makes its things; there may be several items; a base may be the beginning of a larger struct; and
      // more elements may follow an open struct.
      ("thing_new", ""), ("item_new", ""), ("base_new", ""), ("open_new", ""), ("any_fields", ""),
    ])
    func functionsForStructsAreDrafted(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let found = adopted.signature(name)
      #expect(types.isEmpty ? found.contains(" is not there") : found == name + types, "\(adopted.draft.text)")
    }

    @Test("a function of the header keeps its name, which no function for a struct takes")
    func namesOfTheHeader() throws {
      let adopted = try AdoptedHeader.of(
        "typedef struct { long a; double b; } pair;\nvoid pair_put(pair *p, void *unused);\nint pair_new(int a);",
        source: "#include <stdlib.h>\nint pair_new(int a) { return abs(a); } void pair_put() {}")
      #expect(adopted.draft.text.components(separatedBy: "'pair_new(").count == 2, "\(adopted.draft.text)")
      #expect(try adopted.call("pair_new", "-3") == "3\n")
    }

    @Test func theyMakeStructsAndReadThem() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let text = try adopted.shell(
        "use LIB as lib", #"p = lib.pair_new '{"a": 40, "b": 2.5}'"#, "lib.pair_put $p", "lib.pair_fields $p",
        "a = lib.any_new", "lib.any_number $a", "lib.any_number $a", "t = lib.thing_get 9", "lib.thing_fields $t")
      #expect(
        text.split(separator: "\n").map(String.init) == [
          #"{"fields":{"a":2,"b":40.0}}"#, "1", "2",
          #"{"fields":{"kind":9,"place":{"x":5,"y":6},"data":null}}"#,
        ])
    }
  }
}
