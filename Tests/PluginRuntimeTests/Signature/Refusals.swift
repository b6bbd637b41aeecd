import PluginRuntime
import Testing

@Suite("Signatures: types and places that are refused, with the reason")
struct Refusals {
  @Test(
    "a type that libffi cannot pass is refused with that reason",
    arguments: [
      ("f(u: union {a: i32})", 6, "'union'", "libffi cannot pass a union by value"),
      ("f(s: {a: u32 : 3, b: u32})", 14, "':'", "libffi cannot pass a struct with bit-fields"),
      ("f(c: fn(cstr, ...))", 15, "'...'", "libffi cannot make a variadic callback"),
      ("f(a: i128)", 6, "'i128'", "libffi has no integer of 128 bits"),
      ("f(a: f80)", 6, "'f80'", "long double"), ("f(a: complex)", 6, "'complex'", "complex numbers"),
      ("f(n: i32, ...: f32)", 16, "'f32'", "C promotes f32"), ("f(n: i32, ...: i16)", 16, "'i16'", "C promotes i16"),
      ("f(n: i32, ...: {x: f64})", 16, "'{x: f64}'", "a number, a cstr or a ptr"),
      ("f(...: i32)", 3, "'...'", "before it"), ("f(n: i32, ...: i32 | i32)", 22, "a second 'i32'", "once"),
    ])
  func impossible(_ text: String, _ column: Int, _ found: String, _ expected: String) {
    expectMistake(text, column, found, expected)
  }

  @Test(
    "a type stands only where it can",
    arguments: [
      (
        "f(n: out usize, done: fn(resolve i8)@once) -> promise<i8> by done returns own(free) bytes[n]", 75,
        "'own(free) bytes[n]'", "'own' if the caller frees it"
      ),
      ("f() -> [f64; 3]", 8, "'[f64; 3]'", "C returns no array"), ("f(s: {})", 7, "'}'", "no empty struct"),
      ("f(s: {a: i32, a: i32})", 15, "a second field 'a'", "another name"),
      ("f(s: {p: fd})", 10, "'fd'", "data"), ("f(a: &[fd])", 8, "'fd'", "data"),
      ("f(a: fd?)", 8, "'?'", "no '?' after fd"),
      ("f(a: inout fd)", 12, "'fd'", "read and written"), ("f(a: own fd)", 10, "'fd'", "after 'own'"),
      ("f(a: fd = 3)", 11, "'3'", "a fd cannot have one"), ("f(n: i32, ...: fd)", 16, "'fd'", "in a variadic tail"),
      ("f(c: fn(fd))", 9, "'fd'", "callbacks pass no open files"), ("f(c: fn() -> fd)", 14, "'fd'", "scalars"),
      ("f() -> promise<fd>", 16, "'fd'", "C has no value for an open file"),
      ("f() -> fd ! zero", 11, "'! zero'", "an integer"),
      ("f(s: {p: promise<i32>})", 10, "'promise<i32>'", "data"), ("f(s: {c: fn()})", 10, "'fn() @call'", "data"),
      ("f(a: [i32; 0])", 12, "'0'", "from 1"), ("f(a: [i32; n])", 12, "'n'", "a count of elements"),
      ("f(a: out fn())", 10, "'fn() @call'", "data"), ("f(a: out promise<i32>)", 10, "'promise<i32>'", "data"),
      ("f(a: keep moving bytes[n], n: usize)", 11, "'moving'", "a type"),
      ("f(a: out i32 = 1)", 14, "'='", "takes no argument"),
      ("f(a: inout own str)", 12, "'own str'", "read and written"),
      ("f(a: own(free) str)", 6, "'own(free) str'", "the host's allocator"),
      ("f(a: own(free) ptr<x>)", 6, "'own(free) ptr<x>'", "releases the object"),
      ("f(a: inout own ptr<x>)", 12, "'own ptr<x>'", "written"),
      ("f(a: {b: own ptr<x>})", 10, "'own ptr<x>'", "data"),
      ("f(c: fn() -> own ptr<x>)", 14, "'own ptr<x>'", "'own' text"),
      ("f(c: fn(own ptr<x>))", 9, "'own ptr<x>'", "without 'own'"), ("f(a: own ptr<3>)", 14, "'3'", "a name"),
      ("f(c: fn(fn()))", 9, "'fn() @call'", "takes no callbacks"),
      ("f(c: fn(n: u32) -> own bytes[n])", 20, "'own bytes[n]'", "'own' text"),
      ("f(c: fn() -> cstr)", 14, "'cstr'", "'own' text"),
      ("f(c: fn(out i32))", 9, "'out' without a name of its own", "a name other than 'result'"),
      ("f(c: fn(result: inout i32))", 9, "'inout' without a name of its own", "a name other than 'result'"),
      ("f(c: fn(x: out bytes))", 16, "'bytes'", "scalars, a struct of them, a ptr<Name>, or 'own' text"),
      ("f(c: fn(x: inout cstr))", 18, "'cstr'", "scalars, a struct of them, or a ptr<Name>"),
      ("f(c: fn(x: bytes[n], n: inout usize))", 9, "'bytes[n]'", "an integer among the callback's"),
      ("f(a: fn(n: out i32)@once) -> promise<void> by a", 47, "'a' with 'out i32'", "without out parameters"),
      ("f(c: fn() @often)", 12, "'often'", "call, once, settled, forever"),
      ("f(c: fn()@settled)", 6, "'@settled'", "returns a promise"), ("f() -> token", 8, "'token'", "data"),
      ("f(a: ptr)", 9, "')'", "'<'"), ("f(a: ptr<3>)", 10, "'3'", "a name"), ("f(a: own i32)", 10, "'i32'", "'own'"),
      ("f(n: out u8) -> own bytes[n]", 17, "'own bytes[n]'", "own(f) bytes[n], with the function"),
      ("f(n: u8, a: own bytes[n])", 13, "'own bytes[n]'", "its own length"),
      ("f(a: &[f64; 0])", 8, "'f64'", "which NULL or 0 ends"), ("f(a: &[cstr?; 0])", 8, "'cstr?'", "NULL or 0 ends"),
      ("f() -> promise<&[cstr; 0]>", 8, "promise", "C has no other values"),
      ("f() -> i32 ! unless", 20, "the end", "such as 0"), ("f() -> i32 ! unless 0 or 0", 26, "'0'", "once"),
      ("f() -> cstr ! unless 0", 13, "'! unless' after 'cstr'", "an integer"),
      ("f(s: at i32)", 9, "'i32'", "ptr<Name> or '{' after 'at'"), ("f(s: at ptr<z>)", 15, "')'", "'{' and the fields"),
      ("f(s: at {a: i32, a: i32})", 18, "a second parameter 'a'", "another name"),
      ("f(s: at {s: i32})", 10, "a second parameter 's'", "another name"),
      ("f(s: at {a: str})", 13, "'str'", "a number, an address, or elements"),
      ("f(s: at {a: keep cstr})", 13, "'keep cstr'", "without 'keep'"),
      ("f(s: at {c: fn()})", 13, "'fn() @call'", "callbacks"), ("f(s: at {a: i32?})", 13, "'i32?'", "a number"),
      ("f(s: at {n: out i32 counts d})", 28, "'d'", "an out parameter with a count"),
      ("f(d: bytes[n], n: i32, w: out i32 counts d)", 42, "'d'", "an out parameter with a count"),
      ("f(d: out bytes[n], n: i32, w: i32 counts d)", 42, "'d'", "whose elements an out integer counts"),
      ("f(s: at {a: i32}, ...: i32)", 6, "'at' in a variadic function", "a fixed number"),
      ("f(s: at {a: i32}) !", 6, "'at' in a variadic function, or in one with '!'", "a rule of failure"),
      ("f(s: at {a: i32}) -> promise<void>", 6, "'at' in a function that returns a promise", "when it returns"),
      ("f() -> i32 ! if", 16, "the end", "the function that says whether"),
      ("f() -> i32 ! if g(x)", 19, "'x'", "a parameter of the function, 'result'"),
      ("f() -> i32 ! if g(result) -> f64", 30, "'f64'", "an integer or a bool"),
      ("f() -> {a: i32} ! if g", 17, "'! if' after '{a: i32}'", "a number, a bool or an address"),
      ("f() ! if g", 5, "'! if'", "a number, a bool or an address"),
      ("f(c: fn(reject if i32)@once) -> promise<void> by c", 16, "'if'", "a type"),
      ("f(a: str[16])", 6, "'str[16]'", "a cstr: text in an array of char lies in a struct, or behind 'out'"),
      ("f() -> str[16]", 8, "'str[16]'", "a cstr"), ("f(a: own str[16])", 6, "'own str[16]'", "a cstr"),
      ("f(a: {n: str[1]})", 14, "'1'", "from 2"), ("f(a: {n: str[0x9]})", 14, "'0x9'", "from 2"),
      ("f(a: {n: bytes[16]})", 10, "'bytes[16]'", "C's uint8_t[16] is [u8; 16]"),
      ("f(a: {n: str[16]?})", 17, "'?'", "no '?' after str[16]"), ("f(c: fn(str[4]))", 9, "'str[4]'", "a cstr"),
      ("f(a: keep str[4])", 11, "'str[4]'", "a cstr"), ("f() -> promise<str[4]>", 16, "'str[4]'", "a cstr"),
      ("f() -> i32 ! gerror message g", 21, "'message'", "the end"),
      ("f() -> promise<void> ! gerror", 22, "'! gerror' after a promise", "another rule"),
      ("f() -> i32 ! nonzero message 3", 30, "'3'", "the function that returns the message"),
      ("f() -> i32 ! nonzero message g(x)", 32, "'x'", "a parameter of the function, 'result'"),
      ("f(x: str) -> i32 ! nonzero message g(x)", 38, "'x', which is str", "an integer, a ptr<Name>"),
      ("f(x: out cstr) -> i32 ! nonzero message g(x)", 43, "'x', which is out cstr", "that the function was given"),
      ("f(x: own ptr<a>) -> i32 ! nonzero message g(x)", 45, "'x', which is own ptr<a>", "a ptr<Name>"),
      ("f() -> cstr ! null message g(-result)", 30, "'-result'", "returns a number"),
      ("f() -> i32 ! nonzero message g(1)", 32, "'1'", "a parameter, result"),
      ("f() ! message g", 7, "'message'", "the end of the signature"), ("f(a: int)", 6, "'int'", "C's int is i32"),
      ("f(a: context?)", 13, "'?'", "no '?' after context"),
      ("f(r: out i32) -> promise<i32>", 18, "a promise beside", "one or the other"),
      ("f(result: out i32) -> i32", 11, "an out parameter 'result'", "another name"),
      ("f() -> i32 ! always", 14, "'always'", "errno, nonzero, zero, negative, null, gerror, unless"),
      ("f() -> bool ! errno", 13, "'! errno' after 'bool'", "an integer, an fd, a cstr"),
      ("f(c: fn(promise<i32>))", 9, "'promise<i32>'", "a callback takes no callbacks, promises and tokens"),
      ("f(c: fn(n: i32, t: token?))", 20, "'token?'", "a callback takes no callbacks, promises and tokens"),
      ("f() ! nonzero", 5, "'! nonzero'", "an integer"),
      ("f() -> u32 ! negative", 12, "'! negative' after 'u32'", "a signed integer"),
      ("f() -> cstr? ! null", 14, "'! null' after 'cstr?'", "without '?'"),
      ("f(c: fn(reject negative u32)@once) -> promise<void> by c", 25, "'u32'", "a signed integer"),
      ("f(c: fn(reject null cstr?)@once) -> promise<void> by c", 21, "'cstr?'", "without '?'"),
    ])
  func places(_ text: String, _ column: Int, _ found: String, _ expected: String) {
    expectMistake(text, column, found, expected)
  }

  @Test(
    "a reference to another parameter finds it",
    arguments: [
      ("f(d: bytes[n])", 6, "'bytes[n]'", "an integer among the parameters"),
      ("f(d: bytes[n], n: f64)", 6, "'bytes[n]'", "an integer among"),
      ("f(d: out bytes[n], n: out u64)", 6, "an out parameter whose count", "inout u64"),
      ("f(d: bytes[n], n: u64 = 3)", 6, "the count 'n', which has a default", "no default"),
      ("f() -> own(free) bytes[n]", 8, "'own(free) bytes[n]'", "such as 'n: out usize'"),
      ("f(n: f64) -> bytes[n]", 14, "'bytes[n]'", "such as 'n: out usize'"),
      ("f(a: out own(free) bytes[n])", 6, "'own(free) bytes[n]'", "such as 'n: out usize'"),
      ("f(x: context)", 6, "'context'", "an fn(context, ...) among the parameters"),
      ("f(a: &cstr)", 7, "'cstr'", "a scalar or a struct after '&'"), ("f(a: &i32?)", 10, "'?'", "no '?' after i32"),
      ("f(a: fn(context), x: context<b>)", 22, "'context<b>'", "is an fn(context"),
      ("f(a: fn(context, context))", 18, "a second context", "one at most"),
      ("f(a: fn(bytes[n]))", 9, "'bytes[n]'", "an integer among the callback's"),
      ("f(a: fn(resolve i32))", 6, "a callback with 'resolve'", "promise<T> by a"),
      ("f(a: fn(resolve i32)) -> promise<i32> by a", 42, "whose scope is @call", "@once"),
      ("f(a: fn(resolve i32)@once) -> promise<i64> by a", 47, "resolves with 'i32'", "promise<i64>"),
      (
        "f(a: fn()@once, b: fn(resolve i32)@once) -> promise<i64> by a or b", 66, "resolves with 'i32'", "promise<i64>"
      ),
      ("f(a: fn()@once) -> promise<i64> by a", 36, "callbacks without 'resolve'", "resolve i64"),
      ("f(a: i32) -> promise<i64> by a", 30, "'a'", "is an fn(...)"),
      ("f(a: fn()@once) -> i64 by a", 24, "'by'", "a promise<T> before"),
      ("f(a: fn(resolve i32, resolve i32)@once)", 22, "a second 'resolve'", "one at most"),
      ("f(d: bytes[n], n: u8) -> i32 counts d", 37, "'d'", "an out parameter with a count"),
      ("f(d: out u8) -> i32 counts d", 28, "'d'", "an out parameter with a count"),
      ("f(d: out bytes[n], n: u8) -> f64 counts d", 41, "'d'", "an integer as the result"),
      ("f() -> promise<{a: cstr}>", 8, "'promise<{a: cstr}>'", "C has no other values"),
      ("f(a: fn(reject f64)@once)", 16, "'f64'", "can be NULL"),
    ])
  func references(_ text: String, _ column: Int, _ found: String, _ expected: String) {
    expectMistake(text, column, found, expected)
  }

  @Test(
    "a default of JSON is checked to its depth",
    arguments: [
      (#"f(p: {x: u8} = {"x": 256})"#, 16, ".x is 256", "{x: u8}"),
      (#"f(p: {x: u8} = {})"#, 16, ".x is missing", "{x: u8}"),
      (#"f(p: {x: u8} = {"x": 1, "y": 1})"#, 16, ".y is not a field", "{x: u8}"),
      (#"f(p: {x: u8} = {"x" 1})"#, 21, "'1'", "':'"),
      ("f(p: &[i32] = [1, 2.5])", 15, "[1] is 2.5", "&[i32]"),
      ("f(p: [i32; 2] = [1])", 17, "has 1 elements", "[i32; 2]"),
      ("f(p: ptr<x> = 1)", 15, "'1'", "no default"), ("f(p: &[i32] = [1)", 17, "')'", "',' or ']'"),
    ])
  func defaults(_ text: String, _ column: Int, _ found: String, _ expected: String) {
    expectMistake(text, column, found, expected)
  }

  @Test("limits: length, nesting, fields, sizes that overflow or that no stack holds")
  func limits() throws {
    let long = "f(a: str = \"\(String(repeating: "x", count: 20_000))\")"
    expectMistake(long, 16_385, "more than 16384 characters", "shorter")
    let deep = "f(a: " + String(repeating: "{a: ", count: 17) + "i8" + String(repeating: "}", count: 17) + ")"
    expectMistake(deep, 70, "'{'", "at most 16 deep")
    let nested = "f(a: " + String(repeating: "{a: ", count: 15) + "i8" + String(repeating: "}", count: 15) + ")"
    #expect(try Signature(parsing: nested).parameters.count == 1)
    // Calls beside each other are not nested.
    let six = { (call: String) in Array(repeating: call, count: 6).joined(separator: ", ") }
    let message = "f() -> i32 ! nonzero message g(\(six("h(\(six("k(result)")))")))"
    #expect(try Signature(parsing: message).description == message)
    let fields = (0...127).map { "f\($0): i8" }.joined(separator: ", ")
    #expect(throws: SignatureError.self) { try Signature(parsing: "f(a: {\(fields)})") }
    expectMistake("f(a: {v: [[i64; 4000000000]; 4000000000]})", 11, "a type of more than", "ptr<Name>")
    expectMistake("f(a: {v: [i64; 9223372036854775807]})", 10, "a type of more than", "ptr<Name>")
    expectMistake("f(a: {v: [i64; 9223372036854775808]})", 16, "'9223372036854775808'", "a count")
    expectMistake("f(a: {v: [u8; 65537]})", 10, "more than 65536 bytes", "ptr<Name>")
    expectMistake("f(a: {v: [u8; 40000]}, b: {v: [u8; 40000]})", 27, "arguments of more than 65536", "ptr<Name>")
  }
}
