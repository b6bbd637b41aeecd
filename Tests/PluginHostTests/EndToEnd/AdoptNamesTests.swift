import Foundation
import Testing

extension EndToEnd {
  /// Counts, arrays and addresses that names in a header are evidence of.
  @Suite struct AdoptNamesTests {
    @Test("the description of a function stands at any of its declarations")
    func descriptions() throws {
      for header in [
        "/** Doubles it. */\nint twice(int x);\nint twice(int x);",
        "int twice(int x);\n/** Doubles it. */\nint twice(int x);",
      ] {
        let adopted = try AdoptedHeader.of(header, source: "int twice(int x) { return 2 * x; }")
        #expect(adopted.draft.text.contains("description: 'Doubles it.'"), "\(adopted.draft.text)")
      }
    }

    private static let header = """
      #include <stddef.h>
      typedef struct node node;
      typedef struct { short x, y; } point;
      typedef struct { unsigned long id; } cursor;
      enum method { PLAIN, PACKED };
      int size_of(int * /* width_return */, int * /* optional */);
      int shout(const char * /* string */, int /* nchars */);
      int spell(char *dest, const char *src, size_t dest_size);
      int pad(const unsigned char *f, int fl, int total);
      int order(const enum method *methods, size_t methods_len);
      int draw(point *points, int npoints, int mode);
      int get_points(point *points, int npoints);
      int join(node **Nodes, unsigned NumNodes);
      int paths(const char *const *names, int count);
      node *node_new(void);
      int node_get_child(node *n, node **child);
      int node_match(node *n, node **node);
      int node_next(node *n, node **other);
      int node_get_all(node *n, node **all, int max);
      int node_release(node **node);
      int alloc_cells(unsigned long * /* masks_return */, unsigned /* nplanes */);
      int two(unsigned char *buf, size_t buf_len, size_t buf_size);
      int push(node *q, void *data);
      int block(void *data, int n, int m);
      const wchar_t *after(const wchar_t *text);
      int create_cursor(cursor *foreground);
      int getcon(char **context);
      int getnth(char **name, int count);
      int read_nodes(node **nodes, int nnodes);
      char **all_names(void);
      int sized(const char *text, int bytes_text);
      typedef struct { unsigned char *data; unsigned size; } datum;
      int export_datum(node *n, datum *out);
      int change(point *place_in_out);
      typedef struct { void *limbs; int size; } number;
      void number_init(number *n);
      void number_array_init(number *, int);
      int encode(const char *text, int text_len, unsigned char *der, int *der_len);
      int now(point *ts);
      int parse(const wchar_t *text, wchar_t **endptr);
      int lcat(char *dest, const char *src, size_t dest_size);
      int from_static_text(const char *text);
      int atomic_add(int *number, int by);
      int atomic_swap(void *place, int by);
      int name_all(const char *uri, const char *name, int count);
      int unnamed(const unsigned char *, size_t, int);
      int spell_unnamed(int, const char *, size_t);
      int read_elements(const char *, size_t, size_t);
      int write_unnamed(char *, size_t);
      """
    private static let source = """
      int size_of(){return 0;} int shout(){return 0;} int spell(){return 0;} int pad(){return 0;} int order(){return 0;}
      int draw(){return 0;} int get_points(){return 0;} int join(){return 0;} int paths(){return 0;} void *node_new(){return 0;}
      int node_get_child(){return 0;} int node_match(){return 0;} int node_next(){return 0;} int node_get_all(){return 0;}
      int node_release(){return 0;} int alloc_cells(){return 0;} int two(){return 0;} int push(){return 0;} int block(){return 0;}
      const void *after(){return 0;} int create_cursor(){return 0;}
      int getcon(){return 0;} int getnth(){return 0;} int read_nodes(){return 0;} void *all_names(){return 0;}
      int sized(){return 0;} int export_datum(){return 0;} int change(){return 0;} int encode(){return 0;}
      void number_init(){} void number_array_init(){} int now(){return 0;}
      int parse(){return 0;} int lcat(){return 0;} int from_static_text(){return 0;} int atomic_add(){return 0;}
      int atomic_swap(){return 0;} int name_all(){return 0;} int unnamed(){return 0;} int spell_unnamed(){return 0;}
      int read_elements(){return 0;} int write_unnamed(){return 0;}
      """

    @Test(arguments: [
      ("shout", "(string: str[nchars], nchars: i32) -> i32"),
      ("spell", "(dest: out str[dest_size], src: cstr, dest_size: usize) -> i32"),
      ("pad", "(f: bytes[fl], fl: i32, total: i32) -> i32"),
      ("order", "(methods: &[u32; methods_len], methods_len: usize) -> i32"),
      ("draw", "(points: &[{x: i16, y: i16}; npoints], npoints: i32, mode: i32) -> i32"),
      ("get_points", "(points: out &[{x: i16, y: i16}; npoints], npoints: i32) -> i32"),
      ("join", "(Nodes: &[ptr<node>; NumNodes], NumNodes: u32) -> i32"),
      ("paths", "(names: &[cstr; count], count: i32) -> i32"),
      ("push", "(q: ptr<node>, data: ptr<void>?) -> i32"), ("after", "(text: &[i32; 0]) -> &[i32; 0]?"),
      ("all_names", "() -> ptr<any>?"),
      ("export_datum", "(n: ptr<node>, out: out {data: ptr<u8>?, size: u32}) -> i32"),
      ("change", "(place_in_out: inout {x: i16, y: i16}) -> i32"), ("now", "(ts: inout {x: i16, y: i16}) -> i32"),
      ("parse", "(text: &[i32; 0], endptr: out ptr<wchar_t>?) -> i32"),
      ("from_static_text", "(text: keep cstr) -> i32"), ("sized", "(text: str[bytes_text], bytes_text: i32) -> i32"),
      ("create_cursor", "(foreground: ptr<cursor>) -> i32"),
      ("name_all", "(uri: cstr, name: cstr, count: i32) -> i32"),
      ("unnamed", "(argument1: bytes[argument2], argument2: usize, argument3: i32) -> i32"),
      ("spell_unnamed", "(argument1: i32, argument2: str[argument3], argument3: usize) -> i32"),
      ("read_elements", "(argument1: cstr, argument2: usize, argument3: usize) -> i32"),
    ])
    func namesAreEvidence(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }

    @Test(arguments: [
      ("lcat", "'dest' is read before it is written"),
      ("atomic_add", "'number' is changed in place"), ("atomic_swap", "'place' is changed in place"),
      ("write_unnamed", "'argument1' is written to"),
      // A comment of one word may be a remark; a count may be that of another array.
      ("size_of", "nothing says how many elements 'argument2' has"),
      ("alloc_cells", "nothing says how many elements 'masks_return' has"),
      ("two", "nothing says how many elements 'buf' has"), ("node_next", "'other' may be an array of addresses"),
      // The length that was written is not a capacity.
      ("encode", "nothing says how many elements 'der' has"),
      ("number_array_init", "'argument1' may be several, and the host allocates one"),
      ("getnth", "'name' may be an array of addresses"), ("getcon", "'context' may be an array of addresses"),
      ("node_get_child", "'child' may be an array of addresses"), ("node_match", "'node' may be an array of addresses"),
      ("read_nodes", "'nodes' may be an array of addresses that is written"),
      ("node_get_all", "'all' may be an array of addresses"), ("node_release", "'node' may be an array of addresses"),
    ])
    func whereTheyAreNoneNothingIsGuessed(name: String, reason: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }

    @Test("data that a function's name says may be kept, or only read, are kept", arguments: keeping)
    func keptData(verb: String) throws {
      let names = Self.keeping.map { "node_\($0)" }
      let header =
        "#include <stddef.h>\ntypedef struct node node;\n"
        + names.map { "int \($0)(node *n, char *buffer, size_t size);\n" }.joined()
      let adopted = try AdoptedHeader.of(header, source: names.map { "int \($0)() { return 0; }\n" }.joined())
      let types = "(n: ptr<node>, buffer: keep str[size], size: usize) -> i32"
      #expect(adopted.signature("node_\(verb)") == "node_\(verb)\(types)", "\(adopted.draft.errors)")
    }

    private static let keeping = [
      "set", "add", "put", "push", "register", "attach", "bind", "construct", "append", "insert", "use",
    ]
  }
}
