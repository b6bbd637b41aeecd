import Foundation
import Testing

@testable import PluginRuntime
@testable import plugin_host

/// The schemas by which programs check arguments and results, interpreted by an independent validator.
@Suite struct JSONSchemaTests {
  private struct Case {
    var signature: String
    var accepts: [String]
    var refuses: [String]
    var results: [String] = []
    var noResults: [String] = []
  }

  private static let cases: [Case] = [
    Case(
      signature: "integers(a: i8, b: u64 = 7, c: i64 = -9223372036854775808) -> u16",
      accepts: [#"{"a":-128}"#, #"{"a":1,"b":18446744073709551615,"c":-9223372036854775808}"#],
      refuses: ["{}", #"{"a":-129}"#, #"{"a":"1"}"#, #"{"a":1,"b":-1}"#, #"{"a":1,"d":1}"#, "[1]"],
      results: ["0", "65535"], noResults: ["-1", "65536", "null"]),
    Case(
      signature: "floats(x: f64, y: f32 = 1.5) -> f64", accepts: [#"{"x":1}"#, #"{"x":"NaN","y":"-Infinity"}"#],
      refuses: [#"{"x":"nan"}"#, #"{"x":true}"#], results: ["1.5", "\"Infinity\""], noResults: ["\"x\"", "null"]),
    Case(
      signature: "texts(a: str, b: cstr, c: bool = true) -> cstr?", accepts: [#"{"a":"\u0000","b":""}"#],
      refuses: [#"{"a":"","b":"a\u0000"}"#, #"{"a":1,"b":""}"#], results: ["\"x\"", "null"], noResults: ["1"]),
    Case(
      signature: "counted(a: &{data: bytes[n], n: u32}) -> &{data: bytes[n]?, n: u32}",
      accepts: [#"{"a":{"data":"x"}}"#, #"{"a":{"data":"x","n":1}}"#],
      refuses: [#"{"a":{"n":1}}"#, #"{"a":{"data":1}}"#],
      results: [#"{"data":"eA==","n":1}"#, #"{"data":null,"n":0}"#], noResults: [#"{"data":"eA=="}"#]),
    Case(
      signature: #"data(a: bytes, b: bytes = "x", c: &[u8] = [1, 2]) -> own bytes"#,
      accepts: [#"{"a":"text"}"#, #"{"a":[0,255]}"#, #"{"a":{"base64":"AA=="},"c":"x"}"#],
      refuses: [#"{"a":[256]}"#, #"{"a":{"base64":1}}"#, #"{"a":{"base64":"","b":1}}"#, #"{"a":null}"#],
      results: ["\"AA==\""], noResults: ["[1]"]),
    Case(
      signature: "numbers(a: &[u8]) -> &[u8]", accepts: [#"{"a":"x"}"#, #"{"a":[1]}"#], refuses: ["{}", #"{"a":1}"#],
      results: ["[0,255]", "[]"], noResults: ["\"AA==\"", #"{"base64":"AA=="}"#, "[256]"]),
    Case(
      signature: "structs(p: {x: f64, in: {n: i32?, t: [u8; 2]}}, q: {x: f64}?) -> {quot: i32, rem: i32}",
      accepts: [#"{"p":{"x":1,"in":{"t":[1,2]}}}"#, #"{"p":{"x":1,"in":{"n":null,"t":[1,2]}},"q":null}"#],
      refuses: [
        #"{"p":{"x":1,"in":{"t":[1]}}}"#, #"{"p":{"x":1}}"#, #"{"p":{"x":1,"in":{"t":[1,2]},"y":1}}"#,
        #"{"p":{"x":1,"in":{"t":[1,2]}},"q":{}}"#,
      ], results: [#"{"quot":1,"rem":0}"#], noResults: [#"{"quot":1}"#, #"{"quot":1,"rem":0,"more":0}"#]),
    Case(
      signature: "slices(v: &[{x: f64}], n: &[i16; k], k: usize) -> &[i64]",
      accepts: [#"{"v":[],"n":[]}"#, #"{"v":[{"x":0}],"n":[32767]}"#],
      refuses: [#"{"v":[{}],"n":[]}"#, #"{"v":[],"n":[40000]}"#, #"{"v":[],"n":[],"k":0}"#],
      results: ["[]", "[9223372036854775807]"], noResults: ["[9223372036854775808]", "[1.5]"]),
    Case(
      signature: "outputs(x: f64, e: out i32, s: inout {a: u8}, to: out str[room], room: usize = 9) -> f64",
      accepts: [#"{"x":1,"s":{"a":1}}"#, #"{"x":1,"s":{"a":1},"room":3}"#],
      refuses: [#"{"x":1}"#, #"{"x":1,"s":{"a":1},"e":1}"#, #"{"x":1,"s":{"a":1},"to":""}"#],
      results: [#"{"result":1,"e":2,"s":{"a":3},"to":"x"}"#], noResults: ["1", #"{"result":1,"e":2,"s":{"a":3}}"#]),
    Case(
      signature: "pointers(p: ptr<db>, q: ptr<db>?) -> ptr<db> ! null", accepts: [],
      refuses: [#"{"p":"0x7fff"}"#, #"{"p":null}"#, #"{"p":1}"#, "{}"], results: ["\"0x1\""], noResults: ["null", "1"]),
    Case(
      signature: "files(f: fd) -> fd ! errno", accepts: [], refuses: [#"{"f":3}"#, #"{"f":"fd:3"}"#, #"{"f":null}"#],
      results: ["\"fd:3\""], noResults: ["null", "3"]),
    Case(
      signature: "later(p: promise<i32>, v: value, w: promise<void>) -> promise<bytes> !",
      accepts: [#"{"p":1,"v":[{}],"w":null}"#], refuses: [#"{"p":"x","v":1,"w":null}"#, #"{"p":1,"v":1,"w":1}"#],
      results: ["\"AA==\""], noResults: ["null"]),
    Case(
      signature: "event(e: &{kind: u8, data: union(kind) {n: i64 = 1, t: cstr? = 2, p: {x: f64} = 3}}) "
        + "-> &{kind: u8, data: union(kind) {n: i64 = 1, p: {x: f64} = 3}}",
      accepts: [
        #"{"e":{"kind":1,"data":{"n":5}}}"#, #"{"e":{"data":{"t":null}}}"#, #"{"e":{"data":{"p":{"x":1}}}}"#,
        #"{"e":{"kind":9,"data":null}}"#,
      ],
      refuses: [
        #"{"e":{"data":{"n":"5"}}}"#, #"{"e":{"data":{"n":5,"t":null}}}"#, #"{"e":{"data":{}}}"#,
        #"{"e":{"data":{"p":{}}}}"#, #"{"e":{"kind":1}}"#, #"{"e":{"kind":256,"data":{"n":1}}}"#,
        #"{"e":{"data":5}}"#,
      ], results: [#"{"kind":1,"data":{"n":5}}"#, #"{"kind":9,"data":null}"#],
      noResults: [#"{"data":{"n":5}}"#, #"{"kind":1,"data":{"m":5}}"#, #"{"kind":1,"data":{"n":1,"p":{"x":1}}}"#]),
    Case(
      signature: "nothing(f: fn(i32) @call?) ! ", accepts: ["{}", #"{"f":null}"#], refuses: [#"{"f":1}"#],
      results: ["null"], noResults: ["0", "{}"]),
    Case(
      signature: "rows(f: fn(i32), ...rest: i32 | cstr) -> i32 ! nonzero", accepts: [],
      refuses: ["{}", #"{"f":1}"#, #"{"f":null,"rest":[1]}"#], results: ["null"], noResults: ["0"]),
  ]

  @Test func aValidatorAgreesWithTheSchemas() throws {
    let cases = try Self.cases.flatMap { item in
      let signature = try Signature(parsing: item.signature)
      let function = FunctionDescription(signature: signature, description: "About \(signature.name).")
      return [
        Self.json(JSONSchema.arguments(of: function), item.accepts, item.refuses),
        Self.json(JSONSchema.result(of: function), item.results, item.noResults),
      ]
    }
    let mistakes = try Self.check("[\(cases.joined(separator: ","))]")
    #expect(mistakes == "")
  }

  @Test func descriptionsAndDefaultsAreInTheSchema() throws {
    let signature = try Signature(parsing: #"f(a: bytes = "é" "what to sum", b: u8 = 3) -> u32 "the sum""#)
    let function = FunctionDescription(signature: signature, description: nil)
    let arguments = JSONSchema.arguments(of: function).text
    #expect(arguments.contains(#""description":"what to sum""#))
    #expect(arguments.contains(#""default":"é""#))
    #expect(arguments.contains(#""default":3"#))
    #expect(arguments.contains(#""base64":{"type":"string","contentEncoding":"base64"}"#), "\(arguments)")
    #expect(arguments.contains(#""required":[]"#))
    #expect(JSONSchema.result(of: function).text.contains(#""description":"the sum""#))
  }

  private static func json(_ schema: JSON, _ accepts: [String], _ refuses: [String]) -> String {
    let lists = [accepts, refuses].map { $0.joined(separator: ",") }
    return "{\"schema\":\(schema.text),\"accepts\":[\(lists[0])],\"refuses\":[\(lists[1])]}"
  }

  /// Runs the validator, and returns its output.
  private static func check(_ cases: String) throws -> String {
    let script = Package.root.appending(path: "Tests/Fixtures/schema/check.py")
    let input = TemporaryPath()
    try Data(cases.utf8).write(to: input.url)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [script.path]
    process.standardInput = try FileHandle(forReadingFrom: input.url)
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: said, as: UTF8.self)
    return process.terminationStatus == 0 ? text : text + "status \(process.terminationStatus)"
  }
}
