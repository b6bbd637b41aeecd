import PluginRuntime
import Testing

@Suite("Calls: types")
struct Types {
  let host: Host

  init() throws { host = try .loading("types") }

  private static let limits: [(String, [PluginValue])] = [
    ("b", [PluginValue.bool(true), .bool(false)]), ("i8", [.int(-128), .int(127)]),
    ("i16", [.int(-32768), .int(32767)]),
    ("i32", [.int(-2_147_483_648), .int(2_147_483_647)]), ("i64", [.int(.min), .int(.max), .int(0)]),
    ("u8", [.uint(0), .uint(255)]),
    ("u16", [.uint(65535)]), ("u32", [.uint(4_294_967_295)]), ("u64", [.uint(.max)]),
    ("usize", [.uint(.max), .uint(0)]),
    ("f32", [.double(1.5), .double(-.infinity)]), ("f64", [.double(0.1), .double(.infinity), .double(-0.0)]),
    ("str", [.string("naïve 😀"), .string(""), .string("a\0b")]), ("bytes", [.bytes([0, 255, 1]), .bytes([])]),
    ("cstr", [.string("naïve"), .string("")]), ("own_str", [.string("owned"), .string("")]),
    ("own_bytes", [.bytes([7, 0, 7]), .bytes([])]),
  ]

  @Test(
    "every type is passed and returned, at its limits too",
    arguments: Self.limits)
  func identity(_ function: String, _ values: [PluginValue]) async {
    for value in values {
      #expect(await host.outcome(function, of: "test.types", [.value(value)]).value == value)
    }
  }

  @Test("static results are copied, and no result is void")
  func results() async {
    #expect(await host.outcome("constant_str", of: "test.types").value == .string("constant"))
    #expect(await host.outcome("constant_bytes", of: "test.types").value == .bytes([0, 1, 2]))
    #expect(await host.outcome("nothing", of: "test.types").value == .void)
  }

  @Test("an argument that the function owns is a copy of the whole, with its length")
  func owned() async {
    let arguments: [Argument] = [.value(.bytes(Array(repeating: 1, count: 1000))), .value(.string("four"))]
    #expect(await host.outcome("consume", of: "test.types", arguments).value == .uint(1004))
    #expect(
      await host.outcome("consume", of: "test.types", [.value(.bytes([])), .value(.string(""))]).value == .uint(0))
  }

  @Test("more arguments than there are registers arrive in order, and so do defaults")
  func many() async throws {
    let values: [PluginValue] = [
      .bool(true), .int(-2), .double(4), .uint(8), .double(16), .string("12345"), .int(64), .bytes([1, 2]), .uint(256),
      .double(512),
      .string("123"), .int(-1024),
    ]
    let expected: Double = [1, -2, 4, 8, 16, 5, 64, 2, 256, 512, 3, -1024].reduce(0, +)
    #expect(await host.outcome("many", of: "test.types", values.map { .value($0) }).value == .double(expected))
    let defaults: Double = [1, -1, 0.5, 0x1p64, 0.25, 5, 7, 3, 9, 1e3, 3, -0x1p63].reduce(0, +)
    let another = Host()
    try another.load(try Fixture.plugin("types", ["-DDEFAULTS"]))
    #expect(await another.outcome("defaults", of: "test.types").value == .double(defaults))
  }

  private static let fitting: [(String, PluginValue, PluginValue)] = [
    ("i8", PluginValue.uint(127), PluginValue.int(127)), ("u8", .int(255), .uint(255)),
    ("u64", .int(.max), .uint(UInt64(Int64.max))),
    ("f64", .int(-3), .double(-3)), ("f64", .uint(1 << 63), .double(0x1p63)),
    ("f32", .uint(16_777_216), .double(16_777_216)),
    ("bytes", .string("é"), .bytes([0xC3, 0xA9])),
    ("own_bytes", .string("a"), .bytes([97])), ("f32", .double(.nan), .double(.nan)),
  ]

  @Test(
    "integers fit where their value does, floats take integers that they represent, bytes take strings",
    arguments: Self.fitting)
  func conversions(_ function: String, _ argument: PluginValue, _ expected: PluginValue) async {
    let value = await host.outcome(function, of: "test.types", [.value(argument)]).value
    #expect(value?.json == expected.json)
  }

  private static let unfitting: [(String, PluginValue, String)] = [
    ("i8", PluginValue.int(128), "is 128, expected an integer from -128 to 127"), ("i8", .int(-129), "is -129"),
    ("i64", .uint(.max), "is 18446744073709551615"), ("u8", .int(-1), "is -1, expected an integer from 0 to 255"),
    ("u8", .uint(256), "is 256"),
    ("u64", .int(-1), "expected an integer from 0 to 18446744073709551615"),
    ("i32", .double(1), "is 1.0, expected an integer"),
    ("i32", .string("1"), "is a value of type string, expected an integer"),
    ("b", .int(1), "is 1, expected true or false"),
    ("f32", .double(1e39), "is 1e+39, expected a number that an f32 can hold"),
    ("f64", .int(.max), "is 9223372036854775807"),
    ("f32", .int(16_777_217), "is 16777217"), ("f64", .bool(true), "is true, expected a number"),
    ("str", .bytes([1]), "is a value of type bytes, expected a string"), ("str", .void, "is void, expected a string"),
    ("cstr", .string("a\0b"), "contains a NUL"), ("bytes", .int(1), "is 1, expected bytes"),
  ]

  @Test(
    "a value that does not fit is refused with its kind and the expected one",
    arguments: Self.unfitting)
  func mismatches(_ function: String, _ argument: PluginValue, _ message: String) async {
    let error = await host.outcome(function, of: "test.types", [.value(argument)]).pluginError
    #expect(error?.kind == .badArgument)
    #expect(error?.subject == "test.types.\(function)")
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test(
    "a result that does not suit the signature rejects the call",
    arguments: [
      ("not_utf8", "returned bytes that are not UTF-8, expected str"), ("null_str", "returned NULL, expected str"),
      ("null_cstr", "returned NULL, expected cstr"),
      ("own_not_utf8", "returned bytes that are not UTF-8, expected own str"),
    ])
  func badResults(_ function: String, _ message: String) async {
    let error = await host.outcome(function, of: "test.types").pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }
}
