import Testing

@testable import PluginRuntime

/// The cases that libffi's own suite has for calls, by their names there: each of ours has the shape of its namesake,
/// as a function that adds its arguments.
@Suite("libffi's cases")
struct LibffiCases {
  /// Two structs in, one out, added field by field.
  static let structs: [(String, String)] = [
    ("cls_1_1byte", "{a: u8}"), ("cls_2byte", "{a: u8, b: u8}"), ("cls_3_1byte", "{a: u8, b: u8, c: u8}"),
    ("cls_4_1byte", "{a: u8, b: u8, c: u8, d: u8}"), ("cls_5_1_byte", "{v: [u8; 5]}"), ("cls_6_1_byte", "{v: [u8; 6]}"),
    ("cls_7_1_byte", "{v: [u8; 7]}"), ("cls_3byte1", "{a: u16, b: u8}"), ("cls_3byte2", "{a: u8, b: u16}"),
    ("cls_4byte", "{a: u16, b: u16}"), ("cls_5byte", "{a: u16, b: u16, c: u8}"),
    ("cls_6byte", "{a: u16, b: u16, c: u8, d: u8}"),
    ("cls_7byte", "{a: u16, b: u16, c: u8, d: u16}"), ("cls_8byte", "{a: i32, b: f32}"),
    ("cls_9byte1", "{a: i32, b: f64}"),
    ("cls_9byte2", "{a: f64, b: i32}"), ("cls_12byte", "{a: i32, b: i32, c: i32}"),
    ("cls_16byte", "{a: i32, b: f64, c: i32}"),
    ("cls_18byte", "{a: f64, b: u8, c: u8, d: f64}"), ("cls_19byte", "{a: f64, b: u8, c: u8, d: f64, e: u8}"),
    ("cls_20byte", "{a: f64, b: f64, c: i32}"), ("cls_20byte1", "{a: i32, b: f64, c: f64}"),
    ("cls_24byte", "{a: f64, b: f64, c: i32, d: f32}"), ("cls_64byte", "{v: [f64; 8]}"), ("cls_double", "{a: f64}"),
    ("cls_align_double", "{a: u8, b: f64, c: u8}"), ("cls_align_float", "{a: u8, b: f32, c: u8}"),
    ("cls_align_sint16", "{a: u8, b: i16, c: u8}"), ("cls_align_sint32", "{a: u8, b: i32, c: u8}"),
    ("cls_align_sint64", "{a: u8, b: i64, c: u8}"), ("cls_align_uint64", "{a: u8, b: u64, c: u8}"),
    ("nested_struct", "{a: {a: u8, b: u8}, b: {a: u16, b: {c: f64, d: u8}}}"),
    ("nested_struct1", "{a: {a: u64, b: u8}, b: {a: f64, b: i32}, c: u8}"),
    ("nested_struct2", "{a: {a: u64, b: u8}, b: u8}"),
    ("nested_struct3", "{a: {a: u64, b: u8}, b: u64}"), ("nested_struct4", "{a: {a: f64, b: u8}, b: u8}"),
    ("nested_struct6", "{a: {a: f64, b: u64}, b: {c: u8, d: u16}, e: u32}"),
    ("nested_struct10", "{a: {a: u64, b: u8}, b: {a: u8, b: {c: u64}}, c: u8}"),
    ("nested_struct11", "{a: {x: i16, y: i16}, b: {x: i8, y: {z: i16}}}"),
    ("nested_fp_struct", "{a: {x: f32, y: f32}, b: {x: f32, y: f32}}"),
    ("struct1", "{v: [u32; 17]}"), ("struct2", "{a: f64, b: f64}"), ("struct3", "{a: i32}"),
    ("struct4", "{a: f64, b: f64, c: f64}"),
    ("struct5", "{a: u8, b: u8, c: u16}"), ("struct6", "{a: f32, b: f64}"), ("struct7", "{a: f32, b: f32, c: f64}"),
    ("struct8", "{a: f32, b: f32, c: f32, d: f32}"), ("struct9", "{a: f32, b: i32}"),
    ("struct10", "{a: i64, b: f64, c: u8}"),
    ("stret_large", "{v: [f64; 4], w: [i32; 5], x: [f32; 3], y: [u8; 7]}"),
    ("stret_large2", "{v: [f64; 4], w: [i32; 5], x: [f32; 3], y: [u8; 8]}"),
    ("stret_medium", "{v: [f64; 3], w: [u8; 7]}"), ("stret_medium2", "{v: [f64; 3], w: [u8; 6], x: i64}"),
    ("struct_return_2H", "{a: u16, b: u16}"), ("struct_return_8H", "{v: [u16; 8]}"),
    ("struct_by_value_2", "{a: i32, b: i32}"),
    ("struct_by_value_3", "{a: i64, b: i64, c: i32}"), ("struct_by_value_3f", "{a: f32, b: f32, c: f32}"),
    ("struct_by_value_4", "{a: i32, b: f32, c: i64, d: f64}"),
    ("struct_by_value_4f", "{a: f32, b: f32, c: f32, d: f32}"),
    ("struct_by_value_small", "{a: u8, b: u16}"), ("struct_by_value_big", "{v: [f64; 64]}"),
    ("struct_int_float", "{a: i32, b: f32, c: i32}"),
    ("align_mixed", "{a: u8, b: i64, c: u8, d: f64, e: i16, f: f32}"),
    ("pr1172638", "{x: {a: f32, b: f32}, y: {a: i32, b: i32}, c: i16}"),
  ]

  /// Numbers in, one out: their sum.
  static let totals: [(String, [String], String)] = [
    ("return_sc", ["i8"], "i8"), ("return_uc", ["u8"], "u8"), ("return_sl", ["i64"], "i64"),
    ("return_ul", ["u64"], "u64"),
    ("return_ll", ["i64"], "i64"), ("return_ll1", ["i32", "i64", "i32"], "i64"), ("return_fl", ["f32"], "f32"),
    ("return_fl1", ["f32", "f32"], "f32"), ("return_fl2", ["f32", "f32", "f32", "f32"], "f32"),
    ("return_fl3", ["f32", "f32", "f32"], "f32"),
    ("return_dbl", ["f64"], "f64"), ("return_dbl1", ["f64", "f32"], "f64"),
    ("return_dbl2", ["f64", "f64", "i32", "f64"], "f64"),
    ("negint", ["i32", "i32", "i16"], "i32"), ("promotion", ["i8", "i16", "u8", "u16"], "i32"),
    ("float", ["i32"], "f32"),
    ("float1", ["f32"], "f64"), ("float3", ["f32", "f64", "f32"], "f64"), ("float4", ["f64"], "f64"),
    ("many", [String](repeating: "f32", count: 13), "f32"), ("many2", [String](repeating: "u8", count: 7), "u8"),
    ("many_double", [String](repeating: "f64", count: 10), "f64"),
    ("many_mixed", ["f64", "f64", "i32", "i64", "f64", "i64", "i64", "f64", "i32", "f64"], "f64"),
    ("cls_many_mixed_args", (0..<24).map { $0 % 2 == 0 ? "i16" : "f32" }, "f64"),
    ("many_args", (0..<40).map { ["u8", "f64", "i64", "f32"][$0 % 4] }, "f64"),
    ("cls_multi_schar", ["i8", "i8"], "i8"), ("cls_multi_sshort", ["i16", "i16"], "i16"),
    ("cls_multi_sshortchar", ["i8", "i16", "i8", "i16"], "i32"),
    ("cls_multi_uchar", ["u8", "u8", "u8", "u8"], "u8"), ("cls_multi_ushort", ["u16", "u16"], "u16"),
    ("cls_multi_ushortchar", ["u8", "u16", "u8", "u16"], "i32"),
    ("many_small_structs", [String](repeating: "{a: f32, b: i32}", count: 9), "f64"),
    ("pyobjc_tc", ["i32", "{x: f32, y: f32}", "{o: {x: f32, y: f32}, s: {h: f32, w: f32}}", "i32"], "f64"),
    ("struct_by_value_and_registers", ["i64", "i64", "i64", "i64", "i64", "{a: i64, b: i64}", "i64"], "i64"),
    ("floats_beyond_registers", [String](repeating: "f64", count: 8) + ["{a: f64, b: i64}", "f64", "i32"], "f64"),
    ("issue_574", ["i8", "i8", "i8", "i8", "i8", "f32", "{a: i8, b: f64}"], "f64"),
    (
      "issue_574_three_words", ["i64", "f64", "i64", "i64", "i64", "f32", "i64", "{a: i64, b: f32}", "f32", "i64"],
      "f64"
    ),
    (
      "issue_574_twelve_bytes", ["f64", "u8", "u8", "u8", "u8", "u8", "{a: i32, b: f32, c: f32}", "{a: u8, b: f64}"],
      "f64"
    ),
    (
      "issue_574_pairs", ["{a: i64, b: i64}", "{a: f64, b: i64}", "{a: i64, b: i64}", "{a: i16, b: f32, c: f64}"], "f64"
    ),
    ("overread", ["i64", "i64", "i64", "i64", "i64", "i64", "{v: [u8; 7]}"], "i64"),
  ]

  let host: Host

  init() throws { host = try Self.shared.get() }

  private static let shared: Result<PluginRuntime.Host, any Error> = Result {
    let library = try Fixture.library("libffi", from: source(), by: "cc", ["-O2"])
    let host = Host()
    try host.load(library)
    return host
  }

  @Test("structs are passed and returned by value", arguments: structs)
  func structure(_ name: String, _ type: String) async throws {
    let signature = try Self.structure(name, type)
    let type = signature.parameters[0].type
    let outcome = await host.outcome(
      signature.name, of: "test.libffi", [.value(Self.value(type, 1)), .value(Self.value(type, 2))])
    #expect(outcome.value == Self.value(type, 3), "\(signature)")
  }

  @Test("numbers are passed in registers and on the stack", arguments: totals)
  func total(_ name: String, _ types: [String], _ result: String) async throws {
    let signature = try Self.total(name, types, result)
    let values = signature.parameters.enumerated().map { Self.value($1.type, $0 + 1) }
    let outcome = await host.outcome(signature.name, of: "test.libffi", values.map { .value($0) })
    let total = values.reduce(0) { $0 + Self.leaves($1).reduce(0, +) }
    switch outcome.value {
    case .int(let number)?: #expect(Double(number) == total, "\(signature)")
    case .uint(let number)?: #expect(Double(number) == total, "\(signature)")
    case .double(let number)?: #expect(number == total, "\(signature)")
    default: Issue.record("\(signature) gave \(outcome)")
    }
  }

  @Test(
    "variadic functions are called",
    arguments: [
      ("float_va", "d", 1), ("va_1", "iiiddd", 1), ("va_2", "uldsdilu", 1), ("va_3", "dddddddddd", 1),
      ("va_4", "llllllllllll", 1),
      ("va_pr", "sssiiiddd", 1), ("va_none", "", 1),
    ])
  func variadic(_ name: String, _ format: String, _ seed: Int) async {
    var total = 0.0
    var arguments: [Argument] = [.value(.string(format))]
    for (index, letter) in format.enumerated() {
      let number = index * 3 + seed
      total += Double(number)
      switch letter {
      case "d": arguments.append(.value(.double(Double(number))))
      case "u": arguments.append(.value(.uint(UInt64(number))))
      case "s": arguments.append(.value(.string(String(repeating: "x", count: number))))
      case "l": arguments.append(.value(.int(Int64(number))))
      default: arguments.append(.value(.int(Int64(number))))
      }
    }
    #expect(await host.outcome("va_sum", of: "test.libffi", arguments).value == .double(total), "\(name)")
  }

  @Test("functions that take strings are called: strlen, strlen2, strlen3 and strlen4")
  func strings() async {
    for name in ["strlen", "strlen2", "strlen3", "strlen4"] {
      #expect(await host.outcome(name, of: "test.libffi", [.value(.string("12345"))]).value == .uint(5))
    }
  }

  @Test(
    "types that libffi's suite shows to be refused are refused: err_bad_typedef, va_struct1, va_struct2, va_struct3",
    arguments: ["f(s: {})", "f(n: i32, ...: {a: u8, b: u8})", "f(n: i32, ...: f32)", "f(n: i32, ...: i8)"])
  func refused(_ text: String) {
    #expect(throws: SignatureError.self) { try Signature(parsing: text) }
  }
}

extension LibffiCases {
  private static func structure(_ name: String, _ type: String) throws -> Signature {
    try Signature(parsing: "case_\(name)(p0: \(type), p1: \(type)) -> \(type)")
  }

  private static func total(_ name: String, _ types: [String], _ result: String) throws -> Signature {
    let list = types.enumerated().map { "p\($0): \($1)" }.joined(separator: ", ")
    return try Signature(parsing: "case_\(name)(\(list)) -> \(result)")
  }

  /// Returns a value whose leaves are small numbers, different ones, that grow with the seed.
  private static func value(_ type: ValueType, _ seed: Int, _ place: Int = 1) -> PluginValue {
    switch type {
    case .structure(let type):
      .object(type.fields.enumerated().map { PluginMember($1.name, value($1.type, seed, place + $0 * 3)) })
    case .array(let element, let count): .array((0..<count).map { value(element, seed, place + $0 % 5) })
    case .f32, .f64: .double(Double(seed * place) + Double(seed) * 0.5)
    default: type.signedRange != nil ? .int(Int64(seed * place)) : .uint(UInt64(seed * place))
    }
  }

  private static func leaves(_ value: PluginValue) -> [Double] {
    switch value {
    case .object(let members): members.flatMap { leaves($0.value) }
    case .array(let elements): elements.flatMap { leaves($0) }
    case .int(let number): [Double(number)]
    case .uint(let number): [Double(number)]
    case .double(let number): [number]
    default: []
    }
  }

  /// Returns the places of the numbers in a type.
  private static func places(_ type: ValueType, _ place: String) -> [String] {
    switch type {
    case .structure(let type): type.fields.flatMap { places($0.type, "\(place).\($0.name)") }
    case .array(let element, let count): (0..<count).flatMap { places(element, "\(place)[\($0)]") }
    default: [place]
    }
  }

  private static func source() throws -> String {
    var functions: [String] = []
    var rows: [String] = []
    func add(_ signature: Signature, _ body: String) {
      let prototype = signature.cPrototype
      let definition = prototype.split(separator: "\n").last.map { String($0.dropLast()) } ?? ""
      functions.append("\(prototype)\n\(definition) {\n\(body)\n}\n")
      rows.append("  {\"\(signature)\", (promise_function_t)\(signature.name), NULL},")
    }
    for (name, type) in structs {
      let signature = try structure(name, type)
      let sums = places(signature.parameters[0].type, "").map { "p0\($0) += p1\($0);" }
      add(signature, "  \(sums.joined(separator: " ")) return p0;")
    }
    for (name, types, result) in totals {
      let signature = try total(name, types, result)
      let sum = signature.parameters.flatMap { places($0.type, $0.name) }.joined(separator: " + ")
      add(signature, "  return \(sum);")
    }
    for name in ["strlen", "strlen2", "strlen3", "strlen4"] {
      rows.append("  {\"\(name)(text: cstr) -> usize\", (promise_function_t)length, NULL},")
    }
    rows.append(
      "  {\"va_sum(format: cstr, ...: i32 | u64 | f64 | cstr) -> f64\", (promise_function_t)va_sum, NULL},")
    return prologue + functions.joined(separator: "\n") + """
      static const promise_plugin_function_t functions[] = {
      \(rows.joined(separator: "\n"))
      };
      const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
        static const promise_plugin_t plugin = {
          .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,
          .function_size = sizeof(promise_plugin_function_t), .id = "test.libffi", .version = "1",
          .functions = functions, .function_count = sizeof functions / sizeof functions[0]};
        return &plugin;
      }

      """
  }

  private static let prologue = """
    #include <promise_plugin.h>
    #include <stdarg.h>
    #include <stdbool.h>
    #include <string.h>
    static size_t length(const char *text) { return strlen(text); }
    static double va_sum(const char *format, ...) {
      va_list list;
      va_start(list, format);
      double sum = 0;
      for (; *format; format++)
        switch (*format) {
        case 'd': sum += va_arg(list, double); break;
        case 's': sum += strlen(va_arg(list, const char *)); break;
        default: sum += va_arg(list, int32_t);
        }
      va_end(list);
      return sum;
    }

    """
}
