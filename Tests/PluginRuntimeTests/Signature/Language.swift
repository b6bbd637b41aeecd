import Testing

@testable import PluginRuntime

@Suite("Signatures: the language")
struct Language {
  @Test(
    "description is the signature as it was written, with one space where one may stand",
    arguments: [
      "f(p: ptr<FILE>?, n: isize) -> ptr<FILE>? ! errno",
      "centroid(points: &[{x: f64, y: f64}]) -> {x: f64, y: f64}",
      "read(file: i32, to: out bytes[n], n: usize) -> isize counts to ! errno",
      "frexp(x: f64, exponent: out i32) -> f64",
      "swap(pair: inout {a: i32, b: i32})",
      "crc32(seed: u64, data: bytes[size], size: u32) -> u64",
      "compress(to: out bytes[room], room: inout u64, from: bytes[size], size: u64) -> i32 ! nonzero",
      "sum(values: &[f64; n], n: usize) -> f64",
      "open(path: cstr, db: out own(close) ptr<db>?) -> own(close) ptr<db> ! null", "close(db: own ptr<db>?) -> i32",
      "open(path: cstr, db: out own(close) ptr<db>?) -> i32 ! nonzero message text(db)",
      "step(s: ptr<s>) -> i32 ! unless 0 or 100 or -1 message text(of(s), result, -result)",
      #"next(s: at ptr<z> {in: moving bytes[n] = "", n: inout u32, sum: out u64, a: const u8 = 1}, flush: i32) -> i32"#,
      "copy(to: at {dst: out bytes[n], n: usize = 9, w: out usize counts dst \"written\"}, from: at {c: cstr?, x: [f32; 2]})",
      "some(to: out str[n], n: u32, w: out u32 counts to)",
      "pack(to: ptr<x>, n: usize) -> usize ! if isError(result) message errorName(result)",
      "get(file: ptr<FILE>) -> i32 ! if ferror(file)", "add(n: i32) -> i32 ! if is_bad(of(n), result) -> bool",
      "uname(name: inout {release: str[65], all: [str[2]; 3]}) -> i32 ! errno", "id(text: out str[37])",
      "dl(name: cstr) -> ptr<void> ! null message dlerror()", "code() -> i32 ! negative message text(-result)",
      "load(path: cstr, data: out own(g_free) bytes[n]?, n: out usize) -> i32 ! gerror",
      "words(text: cstr) -> own(g_strfreev) &[cstr; 0]? ! gerror(free_it)", "sum(n: &[i32; 0], m: &[ptr<x>; 0]?)",
      "row(n: out i32) -> &[f64; n]", "read(n: out usize) -> own(free) str[n]", "h() -> {name: cstr, all: &[cstr; 0]}",
      "norm(v: [f64; 3]) -> f64", "fill(v: out [u8; 16])", "dup(s: cstr) -> own(free) cstr ! null",
      #"print(format: const cstr = "%s" "fixed", ..., text: cstr, n: inout i64) -> i32"#,
      "new(made: out(16) own ptr<x>, size: const usize = 16)", "set(p: ptr<x>, ..., end: const ptr<y>? = null)",
      "print(format: cstr, ...: i64 | f64 | cstr) -> i32", "all(first: i32, ...rest: i32) -> i64",
      "walk(path: cstr, visit: fn(context, path: cstr, size: u64) -> bool @call, tag: context)",
      "fetch(url: str, timeout: f64 = 30, on_progress: fn(f64) @settled?) -> promise<bytes> !",
      "watch(notify: fn(context, value) @forever, id: context)",
      "late(ms: u32, done: fn(context, reject nonzero i32, resolve i64) @once, data: context) -> promise<i64> by done",
      "ask(ok: fn(resolve cstr) @once, no: fn(reject always cstr) @once) -> promise<cstr> by ok or no returns i32 ! negative",
      #"f(a: i32 = 1 "how many", b: str "what") -> u8 "the rest" !"#, "f(t: token?, e: error, v: value)",
      "f(a: fd, b: out fd) -> fd ! errno",
      "open(done: fn(reject nonnull cstr?, resolve ptr<x>) @once) -> promise<ptr<x>> by done",
      #"compare(a: &i32, b: &{x: f64} = {"x": 1}, order: fn(&i32, &i32) -> i32 @call) -> i32"#,
      #"f(p: {x: f64, y: [i8; 2]} = {"x": 1, "y": [2, -3]}, q: &[cstr] = ["a"], r: i32? = null, s: u8? = 7)"#,
    ])
  func description(_ text: String) throws {
    let signature = try Signature(parsing: text)
    #expect(signature.description == text)
    #expect(try Signature(parsing: signature.description) == signature)
  }

  @Test("the inputs of a call leave out results, counts and contexts")
  func inputs() throws {
    let compress = try Signature(
      parsing: "compress(to: out bytes[room], room: inout u64, from: bytes[size], size: u64) -> i32")
    #expect(compress.inputs.map(\.name) == ["room", "from"])
    #expect(compress.outputs.map(\.name) == ["to", "room"])
    let walk = try Signature(parsing: "walk(visit: fn(context), tag: context, deep: bool = true)")
    #expect(walk.inputs.map(\.name) == ["visit", "deep"])
    let read = try Signature(parsing: "read(to: out bytes[n], n: const usize = 8, from: ptr<x>, ..., m: i32)")
    #expect(read.inputs.map(\.name) == ["from", "m"])
    let copy = try Signature(
      parsing: "copy(to: at {dst: out bytes[n], n: usize, w: out usize counts dst}, s: at ptr<z> {a: inout u32}) -> u8")
    #expect(copy.inputs.map(\.name) == ["n", "s", "a"])
    #expect(copy.outputs.map(\.name) == ["dst", "a"])
    #expect(copy.cPrototype.hasSuffix("uint8_t copy(struct copy_to *to, z *s);"), "\(copy.cPrototype)")
    #expect(read.cPrototype.hasSuffix("(uint8_t *to, size_t n, x *from, ...);"), "\(read.cPrototype)")
  }

  @Test("an optional parameter may be left out, and its fallback is null or its default")
  func fallback() throws {
    let parameters = try Signature(parsing: "f(a: i32?, b: i32? = 7, c: i32)").parameters
    #expect(parameters.map(\.fallback) == [.void, .int(7), nil])
  }

  @Test("the scope of a callback is @call unless it is said, and its '?' stands behind it")
  func scopes() throws {
    let types = try Signature(parsing: "f(a: fn(), b: fn() -> ptr<x>? @once?, c: fn()@settled) -> promise<void>")
      .parameters.map(\.type)
    #expect(types[0] == .callback(CallbackType(parameters: [], result: nil, scope: .call)))
    #expect(
      types[1] == .optional(.callback(CallbackType(parameters: [], result: .optional(.pointer("x")), scope: .once))))
    #expect(types[2].description == "fn() @settled")
  }

  @Test(
    "the canonical form is of types alone, with positions for names",
    arguments: [
      ("f()", "()"), ("g(a: i32 = 1 \"one\") -> void", "(i32)"),
      ("crc32(seed: u64, data: bytes[size], size: u32) -> u64", "(u64, bytes[#2], u32) -> u64"),
      ("sum(values: &[f64; n], n: usize) -> f64 !", "(&[f64; #1], usize) -> f64 !"),
      ("p(f: cstr, ...rest: i64|f64) -> i32", "(cstr, ...i64|f64) -> i32"),
      (#"p(f: const cstr = "%s", ..., text: cstr)"#, #"(const cstr = "%s", ..., cstr)"#),
      ("w(v: fn(data: bytes[n], n: usize, context), t: context)", "(fn(bytes[#1], usize, context) @call, context<#0>)"),
      (
        "l(done: fn(context, s: reject i32, v: resolve i64)@once, d: context) -> promise<i64> by done returns i32 ! nonzero",
        "(fn(context, reject nonzero i32, resolve i64) @once, context<#0>) -> promise<i64> by #0 returns i32 ! nonzero"
      ),
      (
        "t(a: fn(context), b: fn(context), c: context, d: &{x: f64})",
        "(fn(context) @call, fn(context) @call, context, &{x: f64})"
      ),
      (
        "e(p: ptr<x>) -> usize ! if bad(p, result) -> bool message m(p)",
        "(ptr<x>) -> usize ! if bad(#0, result) -> bool"
      ),
      (
        "n(s: at ptr<z> {in: moving bytes[n] = \"\", n: inout u32}, to: at {d: out bytes[r], r: u8, w: out u8 counts d})",
        "(at ptr<z> {moving bytes[#2], inout u32}, at {out bytes[#5], u8, out u8 counts #4})"
      ),
      ("m(p: inout {x: f64}, q: out u8?)", "(inout {x: f64}, out u8?)"),
    ])
  func canonical(_ text: String, _ expected: String) throws {
    #expect(try Signature(parsing: text).canonical == expected)
  }

  @Test("the hash is FNV-1a of the canonical form")
  func hash() throws {
    // Another program has computed the hashes.
    #expect(try Signature(parsing: "f()").hash == 0x07E1_1F07_B4A6_665A)
    let add = try Signature(parsing: "add(a: i32, b: i32 = 2) -> i32")
    #expect(add.hash == 0xC028_84AD_6813_E78F)
    #expect(try add.hash == Signature(parsing: "sub(x:i32,y:i32)->i32").hash)
    #expect(try add.hash != Signature(parsing: "sub(x: i32, y: u32) -> i32").hash)
  }

  @Test("structs lie in memory as C lays them out")
  func layout() throws {
    guard
      case .structure(let type)? = try Signature(
        parsing: "f() -> {a: i8, b: f64, c: {d: i16, e: [i8; 3]}, f: str, g: bool}"
      ).result
    else { throw Unexpected() }
    let layout = try #require(StructLayout(type))
    #expect(layout.offsets == [0, 8, 16, 24, 40])
    #expect(layout.whole == TypeLayout(of: .structure(type)))
    #expect(layout.whole.size == 48)
    #expect(layout.whole.alignment == 8)
    // The fields fit, and their sum with the padding does not.
    guard case .structure(let pair)? = try Signature(parsing: "f() -> {a: [u8; 9], b: i64}").result else {
      throw Unexpected()
    }
    let fields = [StructType.Field(name: "a", type: .array(.scalar(.u8), count: Int.max - 3)), pair.fields[1]]
    #expect(TypeLayout(of: .structure(StructType(fields: fields))) == nil)
  }

  struct Unexpected: Error {}
}
