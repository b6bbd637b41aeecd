import Testing

extension EndToEnd {
  /// Addresses of functions as arguments, structs that a function reads rather than makes, and typedefs of typedefs.
  @Suite struct AdoptFunctionAddressesTests {
    private static let header = """
      typedef struct box_s box;
      typedef box crate;
      box *box_new(int n);
      int crate_size(crate *c);
      typedef struct { int size; int kind; } box_def;
      typedef struct view view;
      view *view_new_method(box *owner, box_def *def);
      int view_kind(view *v);
      int apply(int (*f)(int first, ...), int n);
      int twice(int n);
      int mac_final(box *b, unsigned char *out, unsigned long *outl, unsigned long outsize);
      """
    private static let source = """
      #include <stdlib.h>
      #include <string.h>
      typedef struct box_s { int n; } box;
      typedef struct { int size; int kind; } box_def;
      typedef struct view { int kind; } view;
      box *box_new(int n) { box *b = malloc(sizeof *b); b->n = n; return b; }
      int crate_size(box *c) { return c->n; }
      view *view_new_method(box *b, box_def *d) { view *v = malloc(sizeof *v); v->kind = d->kind + b->n; return v; }
      int view_kind(view *v) { return v->kind; }
      int apply(int (*f)(int, ...), int n) { return f(n); }
      int twice(int n) { return 2 * n; }
      int mac_final(box *b, unsigned char *out, unsigned long *outl, unsigned long outsize) {
        memset(out, b->n, outsize);
        *outl = outsize / 2;
        return 1;
      }
      """
    private static func adopted() throws -> AdoptedHeader {
      try AdoptedHeader.of(header, source: source, ["--caller-memory"])
    }

    @Test func aTypedefOfATypedefIsTheSameObject() throws {
      let adopted = try Self.adopted()
      #expect(adopted.signature("crate_size") == "crate_size(c: ptr<box>) -> i32")
      #expect(try adopted.shell("use LIB as a", "b = a.box_new 7", "a.crate_size $b") == "7\n")
    }

    @Test func aFunctionThatMakesAnObjectReadsAStructOfAnotherType() throws {
      let adopted = try Self.adopted()
      #expect(
        adopted.signature("view_new_method") == "view_new_method(owner: ptr<box>, def: ptr<box_def>) -> ptr<view>?",
        "\(adopted.draft.errors)")
      let text = try adopted.shell(
        "use LIB as a", "b = a.box_new 7", #"d = a.box_def_new '{"size": 8, "kind": 3}'"#,
        "v = a.view_new_method $b $d", "a.view_kind $v")
      #expect(text == "10\n")
    }

    @Test func theAddressOfAFunctionIsAnArgument() throws {
      let adopted = try Self.adopted()
      #expect(adopted.signature("apply") == "apply(f: ptr<function>, n: i32) -> i32")
      let text = try adopted.shell(
        "use LIB as a", "l = a.library_open", "f = a.library_function $l twice", "a.apply $f 21")
      #expect(text == "42\n")
      let missing = try adopted.shell("use LIB as a", "l = a.library_open", "f = a.library_function $l thrice")
      #expect(missing.contains("undefined symbol: thrice"), "\(missing)")
      let safe = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(!safe.draft.text.contains("library_open"))
      let plain = try AdoptedHeader.of("double cbrt(double x);", ["--caller-memory"])
      #expect(!plain.draft.text.contains("library_open"))
    }

    /// C programmers leave out the const of data that a function sets, draws, frees or orders.
    @Test(arguments: [
      ("XSetWMItems(box *b, unsigned long *items, int count)", "&[u64; count]"),
      ("XFillShapes(box *b, box_def *shapes, int nshapes)", "&[{size: i32, kind: i32}; nshapes]"),
      ("XFreePixels(box *b, unsigned long *pixels, int npixels)", "&[u64; npixels]"),
      ("XRestackViews(box *b, unsigned long *views, int nviews)", "&[u64; nviews]"),
      ("XGetPlaces(box *b, unsigned long *places, int nplaces)", "out &[u64; nplaces]"),
    ])
    func dataThatAFunctionTakesAreArguments(prototype: String, type: String) throws {
      let name = String(prototype.prefix { $0 != "(" })
      let adopted = try AdoptedHeader.of(
        "typedef struct box box; typedef struct { int size; int kind; } box_def; void \(prototype);",
        source: "void \(name)(void) {}")
      #expect(adopted.signature(name).contains(": \(type), "), "\(adopted.signature(name))")
    }

    @Test func aNumberBetweenDataAndTheirCountIsOne() throws {
      let adopted = try Self.adopted()
      #expect(
        adopted.signature("mac_final")
          == "mac_final(b: ptr<box>, out: out bytes[outsize], outl: out u64, outsize: u64) -> i32",
        "\(adopted.draft.errors)")
    }
  }
}
