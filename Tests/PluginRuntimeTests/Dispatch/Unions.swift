import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Calls: unions with a tag")
struct Unions: CallsPlugin {
  static let plugin = "test.unions"
  let host: Host

  init() throws { host = try .loading("unions") }

  /// The events that the fixture returns, by number.
  private static let examples = [
    #"{"kind":1,"data":{"number":-9223372036854775808}}"#, #"{"kind":2,"data":{"text":"zwei"}}"#,
    #"{"kind":3,"data":{"point":{"x":1.5,"y":-2.5}}}"#, #"{"kind":9,"data":null}"#,
  ]

  @Test(
    "an argument is the member that the tag chooses, and says the tag if that is left out",
    arguments: [
      (#"{"kind": 1, "data": {"number": 5}}"#, "number 5"), (#"{"data": {"number": -1}}"#, "number -1"),
      (#"{"data": {"text": "é"}}"#, "text é"), (#"{"data": {"point": {"y": 2, "x": 0.5}}, "kind": 3}"#, "point 0.5 2"),
      (#"{"kind": 7, "data": null}"#, "7 zeros"), (#"{"kind": -1, "data": null}"#, "-1 zeros"),
    ])
  func arguments(_ event: String, _ expected: String) async throws {
    #expect(await json("describe", "[\(event)]") == "\"\(expected)\"")
    let value = try PluginValue(untyped: try JSONText(parsing: Array(event.utf8)))
    #expect(await host.outcome("describe", of: "test.unions", [.value(value)]).value == .string(expected))
    #expect(await host.outcome("describe", of: "test.unions", [.text(event)]).value == .string(expected))
  }

  @Test(
    "a union without its member, or with another one, is an error that names the part",
    arguments: [
      (#"{"kind": 2, "data": {"number": 5}}"#, "argument 'event.data.text' is missing, expected a string"),
      (#"{"kind": 1, "data": {"number": "5"}}"#, "argument 'event.data.number' is \"5\", expected an integer"),
      (
        #"{"kind": 1, "data": {"number": 5, "text": ""}}"#, "argument 'event.data.text' is not a field, expected number"
      ),
      (#"{"data": {"numbr": 5}}"#, "argument 'event.data.numbr' is not a member, expected number, text, point"),
      (#"{"data": {"point": {"x": 1}}}"#, "argument 'event.data.point.y' is missing, expected a number"),
      (#"{"data": null}"#, "argument 'event.kind' is missing, expected an integer"),
      (#"{"data": {}}"#, "argument 'event.kind' is missing, expected an integer"),
      (#"{"kind": 1}"#, "argument 'event.data' is missing, expected an object with one of number, text, point"),
      (
        #"{"kind": 9, "data": {"number": 5}}"#, "argument 'event.data' is an object, expected null: the value of 'kind'"
      ),
      (#"{"kind": 1, "data": null}"#, "argument 'event.data' is "),
    ])
  func mistakes(_ event: String, _ expected: String) async throws {
    let outcome = await outcome("describe", json: "[\(event)]")
    #expect(outcome.pluginError?.kind == .badArgument)
    #expect(outcome.pluginError?.message.contains(expected) == true, "\(outcome)")
    let value = try PluginValue(untyped: try JSONText(parsing: Array(event.utf8)))
    let again = await host.outcome("describe", of: "test.unions", [.value(value)])
    let part = expected.split(separator: " ").prefix(2).joined(separator: " ")
    #expect(again.pluginError?.message.contains(part) == true, "\(again)")
  }

  @Test("results, out parameters and elements have the tag and its member, and null for a tag without one")
  func results() async {
    for (index, example) in Self.examples.enumerated() {
      #expect(await json("example", "[\(index)]") == example)
      #expect(await json("make", "[\(index)]") == "{\"made\":\(example)}")
      #expect(await json("later", "[\(index)]") == example)
    }
    #expect(await json("all", "[]") == "[\(Self.examples.joined(separator: ","))]")
  }

  @Test("a function changes the member of an inout parameter, and its tag")
  func changed() async {
    #expect(await json("turn", #"[{"data": {"number": 12}}]"#) == #"{"event":{"kind":2,"data":{"text":"12"}}}"#)
    #expect(
      await json("turn", #"[{"data": {"text": "5"}}]"#) == #"{"event":{"kind":3,"data":{"point":{"x":2.5,"y":2.5}}}}"#)
    #expect(
      await json("turn", #"[{"data": {"point": {"x": 1, "y": 2}}}]"#) == #"{"event":{"kind":1,"data":{"number":3}}}"#)
  }

  @Test("unions stand in slices, arrays, optionals and arguments of callbacks")
  func places() async {
    #expect(await json("total", #"[[{"data": {"text": "four"}}, {"kind": 1, "data": {"number": 3}}]]"#) == "7.0")
    #expect(
      await message("total", #"[[{"data": {"text": "a"}}, {"data": {"text": 1}}]]"#)
        .contains("argument 'events[1].data.text' is 1, expected a string"))
    #expect(await json("kinds", #"[[{"data": {"text": "a"}}, {"data": {"point": {"x": 0, "y": 0}}}]]"#) == "23")
    #expect(await json("kind_of", "[null]") == "-1")
    #expect(await json("kind_of", #"[{"data": {"text": ""}}]"#) == "2")
    #expect(await json("preset", "[]") == "\"text preset\"")
    let seen = Recorder<String>()
    let see = Argument.callback { arguments in
      seen.record(arguments[0].json)
      return .int(1)
    }
    #expect(await host.outcome("visit", of: "test.unions", [see]).value == .int(4))
    #expect(seen.events == Self.examples)
  }

  @Test("the bytes of a union behind its member are 0, also in memory that the function frees")
  func zeros() async {
    let events = #"[[{"data": {"number": 1}}, {"data": {"text": "a"}}, {"kind": 9, "data": null}]]"#
    for _ in 0..<10 { #expect(await json("junk", events) == "0") }
  }

  @Test("unions in unions, and two with one tag, keep every value of their tags")
  func nested() async {
    for (given, full) in [
      (
        #"{"inner":{"of":{"deep":{"value":{"flag":true}}}},"more":{"name":"n"},"last":{"f":0.5}}"#,
        #"{"id":255,"inner":{"sub":-128,"of":{"deep":{"code":18446744073709551615,"value":{"flag":true}}}},"more":{"name":"n"},"last":{"f":0.5}}"#
      ),
      (
        #"{"id":2,"inner":{"of":{"deep":{"value":{"number":null}}}},"more":null,"last":{"none":3}}"#,
        #"{"id":2,"inner":{"sub":-128,"of":{"deep":{"code":0,"value":{"number":null}}}},"more":null,"last":{"none":3}}"#
      ),
      (
        #"{"id":1,"inner":{"sub":127,"of":{"bytes":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,255]}},"more":{"small":9},"last":null}"#,
        #"{"id":1,"inner":{"sub":127,"of":{"bytes":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,255]}},"more":{"small":9},"last":null}"#
      ),
    ] {
      #expect(await json("same", "[\(given)]") == "{\"copy\":\(full),\"size\":56}")
    }
    #expect(
      await message("same", #"[{"inner":{"sub":0,"of":null},"more":{"small":1},"last":{"f":1}}]"#)
        .contains("argument 'given.last' is an object, expected null"))
  }

  @Test("a worker gives the same values, and takes the same arguments")
  func isolated() async throws {
    let plugin = try IsolatedPlugin.loading("unions")
    for (index, example) in Self.examples.enumerated() {
      #expect(try await plugin.outcome("example", .uint(UInt64(index))).value?.json == example)
      #expect(try await plugin.outcome("later", .uint(UInt64(index))).value?.json == example)
    }
    let event = PluginValue.object([PluginMember("data", .object([PluginMember("text", .string("12"))]))])
    #expect(
      try await plugin.outcome("turn", event).value?.json == #"{"event":{"kind":3,"data":{"point":{"x":6.0,"y":6.0}}}}"#
    )
    let unknown = PluginValue.object([PluginMember("data", .object([PluginMember("other", .void)]))])
    let error = try await plugin.outcome("describe", unknown).pluginError
    #expect(
      error?.message.contains("argument 'event.data.other' is not a member") == true, "\(String(describing: error))")
  }

  @Test(
    "a difference from the compiler's layout of a union is an error that names the part",
    arguments: [
      ("layouts[2].offset = 4", "describe.event.data", "16 bytes at offset 4, expected 16 at 8"),
      ("layouts[3].size = 8", "describe.event.data", "8 bytes, expected 16"),
      ("layouts[5].offset = 8", "describe.event.data.text", "8 bytes at offset 8, expected 8 at 0"),
      ("layouts[9].offset = 4", "describe.event.data.point.y", "8 bytes at offset 4, expected 8 at 8"),
      ("layouts[10].size = 64", "same.given", "64 bytes, expected 56"),
    ])
  func layouts(_ defect: String, _ path: String, _ message: String) throws {
    let error = #expect(throws: PluginError.self) {
      try Host.inspect(try Fixture.plugin("unions", ["-DDEFECT=\(defect)"]))
    }
    #expect(error?.kind == .layout(path))
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }
}
