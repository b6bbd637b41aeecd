import Foundation
import Testing

@testable import plugin_host

extension EndToEnd {
  /// Type maps, enums and `GError **` in the draft of a header.
  @Suite struct AdoptTypesTests {
    /// Returns the draft of a header whose functions have the names of functions of libm.
    private static func draft(_ header: String, types: String? = nil) throws -> HostProcess.Ending {
      let folder = try TemporaryFolder()
      try folder.write(header, to: "a.h")
      if let types { try folder.write(types, to: "types.yaml") }
      let options = types == nil ? [] : ["--types", folder.path("types.yaml")]
      let host = try HostProcess(
        ["adopt", "--library", "libm.so.6"] + options + [folder.path("a.h")])
      try host.process.run()
      return try host.wait()
    }

    @Test(arguments: [
      (
        "enum side { LEFT, RIGHT = 4, TOP };\nint sin(enum side s);",
        "sin(s: u32 enum {LEFT = 0, RIGHT = 4, TOP = 5}) -> i32"
      ),
      ("typedef enum { LOW = -1, HIGH } level;\nlevel sin(level l);", "sin(l: i32 enum {LOW = -1, HIGH = 0}) -> i32"),
      (
        "typedef enum { A = 1 << 0, B = 1 << 1, C = 1 << 2, ALL = A | B | C } f_t;\nvoid sin(f_t f);",
        "sin(f: u32 flags {A = 1, B = 2, C = 4, ALL = 7})"
      ),
      (
        "typedef enum { ONE = 1, TWO, THREE, FOUR } n_t;\nvoid sin(n_t n);",
        "sin(n: u32 enum {ONE = 1, TWO = 2, THREE = 3, FOUR = 4})"
      ),
      // More sums of bits than bits.
      (
        "enum e { A = 1, B = 2, C = 4, D = 8, E = 3, F = 5, G = 6, H = 9, I = 10 };\nvoid sin(enum e e);",
        "sin(e: u32 enum {A = 1, B = 2, C = 4, D = 8, E = 3, F = 5, G = 6, H = 9, I = 10})"
      ),
      (
        "typedef enum { NONE = 0, ONE = 1 } open_flags;\nvoid sin(open_flags f);",
        "sin(f: u32 flags {NONE = 0, ONE = 1})"
      ),
    ])
    func enumsAreDraftedWithTheirNames(header: String, signature: String) throws {
      let draft = try Self.draft(header)
      #expect(draft.text.contains("- signature: '\(signature)'\n"), "\(draft.text)\(draft.errors)")
    }

    @Test func bundledTypesHaveMeanings() throws {
      for (name, text) in TypeMap.bundledTexts { #expect(TypeMap.bundled.types[name] != nil, "\(name): \(text)") }
      let draft = try Self.draft(
        """
        typedef unsigned char xmlChar;
        typedef unsigned char UBool;
        const xmlChar *sin(const xmlChar *text, UBool on);
        """)
      #expect(draft.text.contains("'sin(text: cstr, on: bool) -> cstr?'"), "\(draft.text)")
    }

    @Test func aTypeMapSaysHowManyElementsAreThere() throws {
      let header = "void sin(const float *values, unsigned char *md);"
      let draft = try Self.draft(header, types: "elements: {sin.values: 3, s*.md: 16, '*.md': 8}")
      #expect(draft.text.contains("'sin(values: [f32; 3], md: out [u8; 16])'"), "\(draft.text)\(draft.errors)")
      let mistakes = try Self.draft(header, types: "elements: {x.y: [], sin.values: a b, sin: 3, sin.md: -1}")
      #expect(mistakes.status == 64)
      #expect(mistakes.errors.contains("sin.values is \"a b\", expected FUNCTION.PARAMETER and a number up to"))
      #expect(mistakes.errors.contains("sin is \"3\", expected FUNCTION.PARAMETER"))
      #expect(mistakes.errors.contains("sin.md is \"-1\", expected FUNCTION.PARAMETER"))
    }

    @Test("names of a type map that nothing has are warnings, unless another header of the library may have them")
    func namesThatMatchNothing() throws {
      let header = "typedef struct thing thing; void sin(const float *values, thing *t, int);"
      let map = """
        types: {thing: handle, thin: handle}
        elements: {sin.vales: 3, no*.x: 3, sin.values: 3}
        parameters: {sim.t: in, cos.x: in, sin.result: i32, sin.argument1: in, sin.argument3: i32}
        failures: {sinn: negative, sin: negative, cos: negative, thing: negative}
        """
      let draft = try Self.draft(header, types: map)
      let warnings = draft.errors.split(separator: "\n").filter { $0.contains(": warning: ") }
      let ends = [
        "sim.t: no such function; did you mean \"sin\"?", "sin.vales: no such parameter; did you mean \"values\"?",
        "sinn: no such function or type; did you mean \"sin\"?", "thin: no such type; did you mean \"thing\"?",
      ]
      #expect(warnings.count == ends.count && zip(warnings, ends).allSatisfy { $0.hasSuffix($1) }, "\(draft.errors)")
      #expect(draft.status == 0)
    }

    @Test func bundledNumbersForSomeFunctionsWinOverThoseForAll() throws {
      // Points and scalars have 32 bytes; a hash, and a scalar that is to be reduced, have 64.
      let declarations = [
        "void P_add(const unsigned char *p, const unsigned char *q);": "P_add(p: [u8; 32], q: [u8; 32])",
        "void P_scalar_reduce(const unsigned char *s);": "P_scalar_reduce(s: [u8; 64])",
        "void P_from_hash(const unsigned char *H);": "P_from_hash(H: [u8; 64])",
      ]
      for (prefix, hash) in [("crypto_core_ristretto255", "r"), ("crypto_core_ed25519", "h")] {
        let named = { (text: String) in text.replacing("P_", with: "\(prefix)_").replacing("H", with: hash) }
        let header = declarations.keys.map(named).joined(separator: "\n")
        let source = header.replacing(";", with: " {}")
        let adopted = try AdoptedHeader.of(header, source: source)
        for signature in declarations.values.map(named) {
          #expect(adopted.draft.text.contains("'\(signature)'"), "\(adopted.draft.text)\(adopted.draft.errors)")
        }
      }
    }

    @Test func aTypeMapNamesTheCountAndTheArrayThatA0Ends() throws {
      let header = "int sin(const char *, unsigned, unsigned);\nint cos(const char *text, int length);"
      let draft = try Self.draft(header, types: "elements: {s*.argument1: argument3, cos.text: 0}")
      #expect(
        draft.text.contains("'sin(argument1: str[argument3], argument2: u32, argument3: u32) -> i32'"), "\(draft.text)")
      #expect(draft.text.contains("'cos(text: cstr, length: i32) -> i32'"), "\(draft.text)")
    }

    @Test func aTypeMapHasParametersAndResultsAsSignaturesHaveThem() throws {
      let header = """
        unsigned char *sin(double x, int *size);
        long cos(unsigned char *buf, unsigned long n, const double *one, double **made, int *both);
        int tan(const char *first, ...);
        """
      let types = """
        parameters:
          sin.size: out
          sin.result: own(free) bytes[size]?
          'c*.result': isize counts buf
          cos.one: in
          cos.made: out
          cos.both: inout
          cos.x: out
          tan....: '..., text: cstr, end: const ptr<void>? = null'
        """
      let draft = try Self.draft(header, types: types)
      for signature in [
        "sin(x: f64, size: out i32) -> own(free) bytes[size]?",
        "cos(buf: out bytes[n], n: u64, one: &f64, made: out ptr<f64>?, both: inout i32) -> isize counts buf",
        "tan(first: cstr, ..., text: cstr, end: const ptr<void>? = null) -> i32",
      ] { #expect(draft.text.contains("- signature: '\(signature)'\n"), "\(signature): \(draft.text)\(draft.errors)") }
      #expect(draft.text.contains("and the result to count them"), "\(draft.text)")
    }

    @Test func mistakesInParametersAreNamed() throws {
      let draft = try Self.draft(
        "int sin(int x);",
        types: "parameters:\n  a: out\n  a.b: int\n  a.result: i32 counts\n  a....: 'b: i32, ..., c: i8'\n")
      #expect(draft.status == 64)
      for (line, name) in zip(2...5, ["a", "a.b", "a.result", "a...."]) {
        #expect(draft.errors.contains("types.yaml:\(line):"), "\(draft.errors)")
        #expect(draft.errors.contains("\(name) is \""), "\(draft.errors)")
      }
    }

    @Test func bundledParametersAreThoseOfSignatures() {
      #expect(TypeMap.bundledParameters.count > 300)
      for (name, text) in TypeMap.bundledParameters {
        #expect(TypeMap.mistake(in: text, of: name) == nil, "\(name): \(text)")
      }
    }

    @Test func theFormatOfAFunctionLikePrintfIsFixed() throws {
      let draft = try Self.draft(
        """
        int sin(int x, const char *format, ...) __attribute__((format(printf, 2, 3)));
        int cos(const char *format, ...) __attribute__((format(scanf, 1, 2)));
        int tan(const char *first, ...);
        """)
      #expect(
        draft.text.contains(#"'sin(x: i32, format: const cstr = "%s", ..., text: cstr) -> i32'"#), "\(draft.text)")
      #expect(draft.text.contains("'cos(format: cstr, ...: i64 | u64 | f64 | cstr | ptr<void>) -> i32'"))
      #expect(draft.text.contains("'tan(first: cstr, ...: i64 | u64 | f64 | cstr | ptr<void>) -> i32'"))
    }

    @Test func anObjectThatTheFirstOneIsMadeWithoutIsOptional() throws {
      let draft = try Self.draft(
        """
        typedef struct ctx ctx;
        ctx *f_new(int kind, ctx *parent) __asm__("sin");
        typedef struct node node;
        node *g_new(node *parent) __asm__("cos");
        node *g_get(void) __asm__("tan");
        """)
      #expect(draft.text.contains("'f_new(kind: i32, parent: ptr<ctx>?)"), "\(draft.text)")
      #expect(draft.text.contains("'g_new(parent: ptr<node>)"), "\(draft.text)")
    }

    @Test func aTypeMapSaysThatA0EndsAResult() throws {
      let header = """
        const unsigned char *sin(int x);
        const char *const *cos(int x);
        const unsigned char *tan(int x);
        """
      let draft = try Self.draft(header, types: "elements: {'*s*.result': 0}")
      #expect(draft.text.contains("'sin(x: i32) -> cstr?'"), "\(draft.text)")
      #expect(draft.text.contains("'cos(x: i32) -> &[cstr; 0]?'"), "\(draft.text)")
      #expect(draft.text.contains("'tan(x: i32) -> ptr<u8>?'"), "\(draft.text)")
    }

    @Test func aStructThatIsReturnedByValueIsAValue() throws {
      let header = """
        typedef struct { const int *data; int rest; } iterator;
        iterator sin(int x);
        void cos(iterator *i);
        void f_add(iterator *i) __asm__("tan");
        typedef struct { const int *data; int rest; } object;
        object exp(object *o);
        object *log(void);
        """
      let draft = try Self.draft(header)
      #expect(draft.text.contains("'cos(i: inout {data: ptr<i32>?, rest: i32})'"), "\(draft.text)")
      // It stays an address if the function may keep it, or if another function returns it.
      #expect(draft.text.contains("'f_add(i: ptr<iterator>)'"), "\(draft.text)")
      #expect(draft.text.contains("'exp(o: ptr<object>)"), "\(draft.text)")
    }

    @Test func objectsForWhichNullStandsAreOptional() throws {
      let draft = try Self.draft(
        """
        typedef struct context GMainContext;
        typedef struct other other;
        int sin(GMainContext *context, other *o);
        int f_set_name(GMainContext *context, int name) __asm__("cos");
        """)
      #expect(draft.text.contains("'sin(context: ptr<GMainContext>?, o: ptr<other>) -> i32'"), "\(draft.text)")
      #expect(draft.text.contains("'f_set_name(context: ptr<GMainContext>, name: i32) -> i32'"), "\(draft.text)")
    }

    @Test func aTypeMapGivesTypesTheirMeaning() throws {
      let header = """
        typedef unsigned char letter;
        typedef void *thing;
        typedef struct { long a; } odd;
        typedef unsigned char key[16];
        int sin(const letter *text, thing t, odd o);
        int cos(const key k);
        """
      let types = "types: {letter: text, thing: 'ptr<Thing>', odd: '{low: u32, high: f32}', xmlChar: u8}"
      let draft = try Self.draft(header, types: types)
      #expect(draft.text.contains("'sin(text: cstr, t: ptr<Thing>, o: {low: u32, high: f32}) -> i32'"), "\(draft.text)")
      #expect(draft.text.contains("'cos(k: [u8; 16]) -> i32'"), "\(draft.text)")
    }

    /// The bundled map has such a type: EGLDisplay.
    @Test func aTypeMayBeTheAddressOfAnObjectOfItsOwnName() throws {
      let header = """
        typedef void *thing;
        typedef void *one;
        typedef void *other;
        thing sin(thing t);
        int cos(one o, other p);
        """
      let draft = try Self.draft(header, types: "types: {thing: 'ptr<thing>', one: 'ptr<other>', other: 'ptr<one>'}")
      #expect(draft.text.contains("'sin(t: ptr<thing>) -> ptr<thing>?'"), "\(draft.text)")
      #expect(draft.text.contains("'cos(o: ptr<other>, p: ptr<one>) -> i32'"), "\(draft.text)")
    }

    @Test func aTypeMapsMistakesAreNamed() throws {
      let draft = try Self.draft("int sin(int x);", types: "types:\n  a: int\n  b: fn()\nkinds: {}\n")
      #expect(draft.status == 64)
      for text in ["types.yaml:2", "a is \"int\"", "C's int is i32", "types.yaml:3", "b is \"fn()\"", "\"kinds\""] {
        #expect(draft.errors.contains(text), "\(text): \(draft.errors)")
      }
    }

    @Test func aTypeMapSaysHowFunctionsFail() throws {
      let header = """
        typedef int code;
        typedef code code_t;
        code_t sin(int x);
        code cos(int x);
        int tan(int x);
        code tanh(int x);
        void *sqrt(int x);
        int exp(void *object);
        double log(double x);
        """
      let types = """
        failures:
          code_t: unless 0 or 1
          code: negative message strerror(-result)
          's*': 'null'
          't*': nonzero message no_such_function
          'ta*': zero
          'e*': nonzero message strerror
          exp: none
          tanh: none
          log: nonzero
        """
      let draft = try Self.draft(header, types: types)
      // The convention for a function's name wins over that for the type of its result, and the longest pattern over
      // others.
      for signature in [
        "sin(x: i32) -> i32", "cos(x: i32) -> i32 ! negative message strerror(-result)", "tan(x: i32) -> i32 ! zero",
        "tanh(x: i32) -> i32", "sqrt(x: i32) -> ptr<void> ! null", "exp(object: ptr<void>) -> i32",
        "log(x: f64) -> f64",
      ] { #expect(draft.text.contains("- signature: '\(signature)'\n"), "\(signature): \(draft.text)\(draft.errors)") }
      let typed = try Self.draft(
        header, types: "failures: {code_t: unless 0 or 1, code: nonzero, 't*': zero message gone}")
      for signature in ["sin(x: i32) -> i32 ! unless 0 or 1", "tan(x: i32) -> i32"] {
        #expect(typed.text.contains("- signature: '\(signature)'\n"), "\(signature): \(typed.text)")
      }
    }

    @Test func mistakesInFailuresAreNamed() throws {
      let draft = try Self.draft(
        "int sin(int x);",
        types: "failures:\n  a: always\n  b: gerror\n  c: ''\n  d: nonzero message f(-x)\n  e: null message f(g(x), y)")
      #expect(draft.status == 64)
      for (line, name) in zip(2...5, ["a", "b", "c", "d"]) {
        #expect(draft.errors.contains("types.yaml:\(line):"), "\(draft.errors)")
        #expect(draft.errors.contains("\(name) is \""), "\(draft.errors)")
      }
      #expect(draft.errors.contains("expected none, or a rule as after '!' in a signature: "), "\(draft.errors)")
      #expect(!draft.errors.contains("types.yaml:6:"), "\(draft.errors)")
    }

    /// A library, a header and a call of a function that fails: the rejection is the library's own text.
    @Test(arguments: [
      ("libz.so.1", "zlib.h", ["uncompress", "source=garbage"], "data error", "-3"),
      (
        "libsqlite3.so.0", "sqlite3.h", ["sqlite3_open", "filename=/no/such/folder/x"], "unable to open database file",
        "14"
      ),
      ("libc.so.6", "unistd.h", ["chdir", "path=/no/such/folder"], "chdir: No such file or directory", "errno 2"),
    ])
    func aDraftedFunctionFailsWithTheTextOfItsLibrary(
      library: String, header: String, call: [String], text: String, code: String
    ) throws {
      let folder = try TemporaryFolder()
      let file = folder.path("a.adopt.yaml")
      let draft = try HostProcess.run("adopt", header, "--library", library, "--id", "a", "-o", file)
      #expect(draft.status == 0, "\(draft.errors)")
      let ending = try HostProcess.run(["call", file] + call)
      #expect(ending.status == 1)
      #expect(ending.errors.hasPrefix("plugin-host: a.\(call[0]): \(text) ("), "\(ending.errors)")
      #expect(ending.errors.contains("\(code))"), "\(ending.errors)")
    }

    @Test func aGErrorIsAFailure() throws {
      let draft = try Self.draft(
        "typedef struct _GError GError;\nint sin(const char *name, GError **error);\nchar **cos(int x);")
      #expect(draft.text.contains("'sin(name: cstr) -> i32 ! gerror'"), "\(draft.text)")
      #expect(draft.text.contains("# check: the result may be an array of texts: &[cstr; 0]"), "\(draft.text)")
    }
  }
}
