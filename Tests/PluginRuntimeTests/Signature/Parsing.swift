import Testing

@testable import PluginRuntime

@Suite("Signatures: parsing")
struct Parsing {
  @Test("a signature has a name, parameters with types and defaults, a result and perhaps a !")
  func whole() throws {
    let signature = try Signature(parsing: "inflate(data: bytes, limit: usize = 1048576) -> own bytes !")
    #expect(signature.name == "inflate")
    #expect(signature.parameters.map(\.name) == ["data", "limit"])
    #expect(signature.parameters.map(\.type) == [.bytes, .usize])
    #expect(signature.parameters.map(\.defaultValue) == [nil, .uint(1_048_576)])
    #expect(signature.result == .own(.bytes))
    #expect(signature.fails)
    #expect(signature.failure == .status)
  }

  @Test(
    "every type is parsed by its name",
    arguments: [
      ("bool", ValueType.bool), ("i8", .i8), ("i16", .i16), ("i32", .i32), ("i64", .i64), ("u8", .u8), ("u16", .u16),
      ("u32", .u32),
      ("u64", .u64), ("usize", .usize), ("f32", .f32), ("f64", .f64), ("f64x", .f64x), ("str", .str), ("bytes", .bytes),
      ("cstr", .cstr),
      ("own str", .own(.str)), ("own bytes", .own(.bytes)), ("promise<i32>", .promise(.i32)),
      ("promise<str>", .promise(.str)),
      ("promise<void>", .promise(nil)), ("isize", .isize), ("ptr<FILE>", .pointer("FILE")),
      (
        "{x: f64, y: f64}",
        .structure(StructType(fields: [.init(name: "x", type: .f64), .init(name: "y", type: .f64)]))
      ),
      (
        "&[{id: u8, names: &[cstr]}]",
        .slice(
          .structure(
            StructType(fields: [
              .init(name: "id", type: .u8), .init(name: "names", type: .slice(.cstr)),
            ])))
      ),
      (
        "{v: [[f32; 2]; 3]}",
        .structure(
          StructType(fields: [
            .init(name: "v", type: .array(.array(.f32, count: 2), count: 3))
          ]))
      ),
      ("cstr?", .optional(.cstr)), ("i32?", .optional(.i32)), ("own str?", .optional(.own(.str))),
      ("own cstr", .own(.cstr)), ("ptr<x>?", .optional(.pointer("x"))), ("own &[u16]", .own(.slice(.u16))),
      ("promise<ptr<x>?>", .promise(.optional(.pointer("x")))),
      ("error", .error), ("value", .value),
    ])
  func types(_ text: String, _ type: ValueType) throws {
    let signature = try Signature(parsing: "f(a: \(text)) -> \(text)")
    #expect(signature.parameters[0].type == type)
    #expect(signature.result == type)
    #expect(type.description == text)
  }

  @Test(
    "a default is a number, true, false or a string, as its type has it",
    arguments: [
      ("i8 = -128", PluginValue.int(-128)), ("i64 = -9223372036854775808", .int(.min)),
      ("u64 = 18446744073709551615", .uint(.max)),
      ("bool = true", .bool(true)), ("bool = false", .bool(false)), ("f64 = 30", .double(30)),
      ("f64 = -1.5e-3", .double(-0.0015)),
      ("f32 = 0.1", .double(0.1)), (#"str = "a\"b\\c\/d\b\f\n\r\t""#, .string("a\"b\\c/d\u{8}\u{c}\n\r\t")),
      (#"str = "\u00e9\ud83d\ude00""#, .string("é😀")), (#"cstr = "é""#, .string("é")),
      (#"bytes = "ab""#, .bytes([97, 98])),
      (#"own str = """#, .string("")), (#"own bytes = "\u0000""#, .bytes([0])),
    ])
  func defaults(_ parameter: String, _ value: PluginValue) throws {
    #expect(try Signature(parsing: "f(a: \(parameter))").parameters[0].defaultValue == value)
  }

  @Test(
    "white space may stand between any two tokens, and description has it where it is usual",
    arguments: [
      ("f()", "f()"), (" f ( ) ! ", "f() !"), ("f(a:i32,b:own\tstr)->u8", "f(a: i32, b: own str) -> u8"),
      ("f(a:promise < i32 >\n)->promise<void>!", "f(a: promise<i32>) -> promise<void> !"), ("f() -> void", "f()"),
      ("f(a:f64=30.0,b:f64=1e2,c:f64=-0)", "f(a: f64 = 30, b: f64 = 100, c: f64 = -0.0)"),
      ("f(a:f64=1e+2,b:f64=25E-2)", "f(a: f64 = 100, b: f64 = 0.25)"),
      (#"f(a:str="\u0041\n",b:bytes="x")"#, #"f(a: str = "A\n", b: bytes = "x")"#),
    ])
  func canonical(_ text: String, _ expected: String) throws {
    let signature = try Signature(parsing: text)
    #expect(signature.description == expected)
    #expect(try Signature(parsing: expected) == signature)
  }

  @Test("names may be the words of the language, and parameters with a default may come first")
  func names() throws {
    let signature = try Signature(parsing: "promise(own: own str, bytes: bytes = \"\", _1: i32)")
    #expect(signature.name == "promise")
    #expect(signature.parameters.map(\.name) == ["own", "bytes", "_1"])
  }

  @Test("127 parameters are allowed, as C allows them everywhere")
  func manyParameters() throws {
    let parameters = (0..<127).map { "p\($0): i32" }.joined(separator: ", ")
    #expect(try Signature(parsing: "f(\(parameters))").parameters.count == 127)
    #expect(throws: SignatureError.self) { try Signature(parsing: "f(\(parameters), one_more: i32)") }
  }

  @Test("g_error_free() frees a GError unless the signature names another function")
  func releaseOfGError() throws {
    let unnamed = try Signature(parsing: "f() -> i32 ! gerror")
    #expect(try unnamed == Signature(parsing: "f() -> i32 ! gerror(g_error_free)"))
    #expect(try unnamed != Signature(parsing: "f() -> i32 ! gerror(other_free)"))
  }

  @Test(
    "the C prototype follows the header's table",
    arguments: [
      ("nothing()", "void nothing(void);"),
      ("crc32(data: bytes, seed: u32 = 0) -> u32", "uint32_t crc32(promise_bytes_t data, uint32_t seed);"),
      (
        "inflate(data: bytes, limit: usize = 1048576) -> own bytes !",
        "promise_status_t inflate(promise_bytes_t data, size_t limit, promise_bytes_t *result, promise_value_t *error);"
      ),
      ("check(good: bool) !", "promise_status_t check(bool good, promise_value_t *error);"),
      ("name(of: cstr) -> cstr", "const char *name(const char *of);"),
      ("move(from: fd, to: out fd) -> fd ! errno", "int move(int from, int *to);"),
      ("move(from: fd) -> fd !", "promise_status_t move(int from, int *result, promise_value_t *error);"),
      ("twice(x: f64x) -> f64x", "long double twice(long double x);"),
      ("name() -> cstr !", "promise_status_t name(const char **result, promise_value_t *error);"),
      ("later(p: promise<i32>) -> promise<str>", "promise_t *later(promise_t *p);"),
      ("later() -> promise<str> !", "promise_status_t later(promise_t **result, promise_value_t *error);"),
      (
        "f(int: i8, result: str) -> f32 !",
        "promise_status_t f(int8_t int_, promise_str_t result, float *result_, promise_value_t *error);"
      ),
      ("f(a: i32?, b: cstr?, c: isize) -> bool?", "const bool *f(const int32_t *a, const char *b, ptrdiff_t c);"),
      ("f(g: fn(i32, cstr) -> i8)", "void f(int8_t (*g)(int32_t, const char *));"),
      ("f(v: [f64; 3], w: out [u8; 2])", "void f(const double v[3], uint8_t w[2]);"),
      (
        "f(d: out bytes[n], n: inout u64, e: &[f32; m], m: u8)",
        "void f(uint8_t *d, uint64_t *n, const float *e, uint8_t m);"
      ),
      (
        "f(p: {x: f64, of: [i8; 2]}, q: out {x: f64, of: [i8; 2]}) -> ptr<FILE>",
        """
        struct f_p { double x; int8_t of[2]; };
        typedef struct FILE FILE;
        FILE *f(struct f_p p, struct f_p *q);
        """
      ),
      (
        "f(a: &[{x: cstr}]) -> value",
        """
        struct f_a_item { const char *x; };
        struct f_a_slice { const struct f_a_item *data; size_t length; };
        void f(struct f_a_slice a, promise_value_t *result);
        """
      ),
      (
        "f(done: fn(context, n: i32, s: str) -> bool @once, data: context, ...: i32) -> own cstr",
        "char *f(bool (*done)(void *, int32_t n, promise_str_t s), void *data, ...);"
      ),
    ])
  func prototype(_ text: String, _ expected: String) throws {
    #expect(try Signature(parsing: text).cPrototype == expected)
  }
}
