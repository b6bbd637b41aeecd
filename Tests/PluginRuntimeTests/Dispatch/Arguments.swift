import PluginRuntime
import Promises
import Testing

@Suite("Calls: arguments")
struct Arguments {
  let host: Host

  init() throws {
    host = try .loading("types")
    try host.load(try Fixture.plugin("whole"))
    try host.load(try Fixture.plugin("promises"))
  }

  @Test("arguments are passed by position, by name and by default, in any mixture")
  func assignment() async {
    #expect(await host.outcome("add", of: "test.whole", [.value(.int(40))]).value == .int(42))
    #expect(await host.outcome("add", of: "test.whole", [.value(.int(1)), .value(.int(3))]).value == .int(4))
    let named = [Argument(name: "right", .value(.int(10))), Argument(name: "left", .value(.int(1)))]
    #expect(await host.outcome("add", of: "test.whole", named).value == .int(11))
    // Values without a name are for the parameters that are not named.
    let mixed = [Argument(name: "left", .value(.int(5))), Argument.value(.int(6))]
    #expect(await host.outcome("add", of: "test.whole", mixed).value == .int(11))
  }

  @Test("too many, too few, unknown and double arguments are refused")
  func misassignment() async {
    let value = Argument.Content.value(.int(1))
    await expect("lacks the argument 'left', which has no default", [])
    await expect("lacks the argument 'left'", [Argument(name: "right", value)])
    await expect("is given 3 arguments, expected at most 2", [Argument(value), Argument(value), Argument(value)])
    await expect("has no parameter 'middle'", [Argument(name: "middle", value)])
    await expect("is given the argument 'left' twice", [Argument(name: "left", value), Argument(name: "left", value)])
    // Values without a name skip the parameter that is given by name.
    await expect("is given 3 arguments", [Argument(name: "left", value), Argument(value), Argument(value)])
  }

  private func expect(_ message: String, _ arguments: [Argument]) async {
    let error = await host.outcome("add", of: "test.whole", arguments).pluginError
    #expect(error?.kind == .badArgument)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  private static let texts: [(String, String, PluginValue)] = [
    ("b", "true", PluginValue.bool(true)), ("i8", "-128", .int(-128)), ("i32", "+5", .int(5)),
    ("i64", "-0x10", .int(-16)),
    ("u64", "0xffffffffffffffff", .uint(.max)), ("usize", "007", .uint(7)), ("f64", "1e3", .double(1000)),
    ("f64", "-inf", .double(-.infinity)),
    ("f32", "0.5", .double(0.5)), ("str", " spaces stay ", .string(" spaces stay ")), ("str", "", .string("")),
    ("bytes", "é", .bytes([0xC3, 0xA9])), ("own_str", "42", .string("42")), ("own_bytes", "ab", .bytes([97, 98])),
    ("cstr", "c", .string("c")),
  ]

  @Test(
    "the signature decides the type of an argument's text",
    arguments: Self.texts)
  func text(_ function: String, _ text: String, _ value: PluginValue) async {
    #expect(await host.outcome(function, of: "test.types", [.text(text)]).value == value)
  }

  private static let badTexts: [(String, String, String)] = [
    ("i8", "128", "is \"128\", expected an integer from -128 to 127"), ("u8", "-1", "from 0 to 255"),
    ("u8", "", "is \"\""), ("i32", " 1", "is \" 1\""),
    ("i32", "1.0", "is \"1.0\""), ("i32", "0x", "is \"0x\""),
    ("u64", "18446744073709551616", "is \"18446744073709551616\""),
    ("b", "yes", "expected true or false"), ("f64", "ten", "expected a number that an f64"),
    ("f64", "1e999", "is \"1e999\""),
    // 2^120 in decimal digits: only as those it would be exact.
    ("f64", "0x1329227995784915872903807060280344576", "is \"0x1329227995784915872903807060280344576\""),
    ("f32", "1e39", "expected a number that an f32"), ("cstr", "a\0b", "contains a NUL"),
    ("i32", String(repeating: "9", count: 100), "is \"" + String(repeating: "9", count: 40) + "...\""),
  ]

  @Test(
    "text that is not a value of its type is refused",
    arguments: Self.badTexts)
  func badText(_ function: String, _ text: String, _ message: String) async {
    let error = await host.outcome(function, of: "test.types", [.text(text)]).pluginError
    #expect(error?.kind == .badArgument)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test("the content of a file is passed as bytes, a text or a scalar, by the parameter's type")
  func contents() async throws {
    func outcome(_ function: String, _ bytes: [UInt8]) async -> Outcome {
      await host.outcome(function, of: "test.types", [Argument(.contents(bytes))])
    }
    #expect(await outcome("bytes", [0xFF, 0x00]).value == .bytes([0xFF, 0x00]))
    #expect(await outcome("str", Array("two\nlines\n".utf8)).value == .string("two\nlines\n"))
    #expect(await outcome("i32", Array(" 42\n".utf8)).value == .int(42))
    #expect(await outcome("str", [0xFF]).pluginError?.message == "argument 'text' is not UTF-8, which str has to be")
    #expect(await outcome("i32", [0xFF]).pluginError?.kind == .badArgument)
    #expect(await outcome("i32", []).pluginError?.message.contains("is \"\"") == true)
    // The type that a promise holds decides likewise.
    let held = try await Host.loading("chain").outcome("same", of: "test.chain", [Argument(.contents([0xFF, 0x0A]))])
    #expect(held.value == .bytes([0xFF, 0x0A]), "\(held)")
  }

  @Test("a promise is accepted for promise<T>, and a value stands for a fulfilled promise")
  func promises() async {
    func outcome(_ argument: Argument) async -> Outcome {
      await host.outcome("twofold", of: "test.promises", [argument])
    }
    #expect(await outcome(.value(.int(21))).value == .int(42))
    #expect(await outcome(.text("21")).value == .int(42))
    #expect(await outcome(Argument(.contents(Array("21\n".utf8)))).value == .int(42))
    let later = Promise<PluginValue>()
    let result = host.call("twofold", of: "test.promises", [Argument(.promise(later))])
    #expect(result.state == .pending)
    later.resolve(.uint(4))
    #expect(await result.outcome().value == .int(8))
  }

  @Test("a promise that is rejected, or fulfilled with a value that does not suit, rejects")
  func badPromises() async {
    func outcome(_ settle: (Promise<PluginValue>) -> Void) async -> Outcome {
      let promise = Promise<PluginValue>()
      settle(promise)
      return await host.outcome("twofold", of: "test.promises", [Argument(.promise(promise))])
    }
    let error = PromiseError(domain: "test", code: 3, message: "no")
    let rejected = await outcome { $0.reject(error) }
    #expect(rejected.promiseError == error, "\(rejected)")
    let discarded = await outcome { $0.discard() }
    #expect(discarded.reason is Discarded, "\(discarded)")
    let unsuitable = await outcome { $0.resolve(.string("x")) }.promiseError?.message
    #expect(unsuitable == "the promise was fulfilled with a string, expected a value for a promise<i64>")
    let mismatch = await host.outcome("twofold", of: "test.promises", [.value(.string("x"))]).pluginError
    #expect(mismatch?.message == "argument 'number' is a string, expected a value for a promise<i64>")
    let scalar = await host.outcome("i32", of: "test.types", [Argument(.promise(Promise<PluginValue>()))]).pluginError
    #expect(scalar?.message.contains("is a promise, expected an integer") == true)
  }

  @Test("a plugin or a function that does not exist is named")
  func unknown() async {
    #expect(await host.outcome("add", of: "test.nobody").pluginError?.kind == .unknownPlugin)
    let error = await host.outcome("subtract", of: "test.whole").pluginError
    #expect(error?.kind == .unknownFunction)
    #expect(error?.description == "test.whole: has no function 'subtract'; it has add")
  }
}
