import Foundation
import PluginRuntime
import Testing

@testable import plugin_host

extension EndToEnd {
  /// Unions with a tag, from the command line, in pipelines and in descriptions.
  @Suite struct UnionTests {
    @Test(arguments: [
      (#"{"data":{"number":5}}"#, #"{"kind":1,"data":{"number":5}}"#),
      (#"{"kind":2,"data":{"text":"é"}}"#, #"{"kind":2,"data":{"text":"é"}}"#),
      (#"{"data":{"point":{"x":0.1,"y":-1}}}"#, #"{"kind":3,"data":{"point":{"x":0.1,"y":-1.0}}}"#),
      (#"{"kind":9,"data":null}"#, #"{"kind":9,"data":null}"#),
    ])
    func aCallTakesAndGivesTheMember(event: String, expected: String) throws {
      for options in [[], ["--isolation", "process"]] {
        let ending = try HostProcess.run(["call"] + options + ["kinds", "event", event])
        #expect(ending.text == expected + "\n")
        #expect(ending.errors == "")
      }
    }

    @Test func aMistakeNamesThePart() throws {
      let ending = try HostProcess.run("call", "kinds", "event", #"{"data":{"nubmer":5}}"#)
      #expect(ending.status == 64)
      #expect(
        ending.errors.contains("'e.data.nubmer' is not a member, expected number, text, point"), "\(ending.errors)")
    }

    private func run(_ event: String, get: String) throws -> HostProcess.Ending {
      let steps = "  a: {call: kinds.event, with: {e: \(event)}}\n  b: {call: kinds.event, with: {e: {step: a}}}"
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n\(steps)\nresult: {step: b, get: \(get)}\n")
      return try HostProcess.run("run", "--progress", "off", file.path)
    }

    @Test func aPipelineTakesAndGivesTheMember() throws {
      #expect(try run("{data: {text: hello}}", get: "data.text").text == "\"hello\"\n")
      #expect(try run("{data: {point: {x: 1, y: 0.1}}}", get: "data.point.y").text == "0.1\n")
      #expect(try run("{kind: 1, data: {number: 7}}", get: "kind").text == "1\n")
      #expect(try run("{kind: 9, data: ~}", get: "data").text == "null\n")
      #expect(try run(#"'{"data": {"number": 3}}'"#, get: "data").text == #"{"number":3}"# + "\n")
      #expect(try run(#"{data: '{"number": 4}'}"#, get: "data.number").text == "4\n")
    }

    @Test(arguments: [
      ("{data: {}}", "kind", "\"e.data\" has 0 members, expected an object with one of number, text, point"),
      ("{data: {number: 1, text: a}}", "kind", "\"e.data\" has 2 members, expected an object with one of"),
      ("{data: {nubmer: 1}}", "kind", "\"e.data\" has no field \"nubmer\"; did you mean \"number\"?"),
      ("{data: {number: a}}", "kind", "\"e.data.number\" is \"a\", expected an integer"),
      ("{kind: 1}", "kind", "\"e.data\" is missing, expected an object with one of number, text, point"),
      ("{data: {number: 1}}", "data.numbre", "it has no \"numbre\"; did you mean \"number\"?"),
    ])
    func aPipelineIsCheckedBeforeItRuns(event: String, get: String, expected: String) throws {
      let ending = try run(event, get: get)
      #expect(ending.status == 64)
      #expect(ending.errors.contains(expected), "\(ending.errors)")
    }

    @Test func aDescriptionShowsTheUnion() throws {
      let text = try HostProcess.run("inspect", "kinds").text
      #expect(text.contains("union { int64_t number; const char *text; struct event_e_data_point point; }"), "\(text)")
      #expect(text.contains(#"event 'e={"data":{"number":1}}'"#), "\(text)")
    }

    @Test func aCheckMakesUpEveryMember() throws {
      let event =
        "{kind: u8, data: union(kind) {n: i32 = 1, t: cstr = 200}, more: union(kind) {f: bool = 1, g: i8 = 3}}"
      let type = try #require(try Signature(parsing: "f(e: &\(event))").parameters.first?.type)
      var values = CheckValues(dice: Dice(seed: 1)) { _, _ in nil }
      var kinds: [String: Int] = [:]
      for _ in 0..<300 {
        let made = values.value(type)
        let value = try #require(made)
        // The value is complete, and of the type.
        let json = try JSONText(parsing: Array(value.json.utf8))
        #expect(try type.value(fromJSON: json).json == value.json)
        guard case .object(let members)? = value[member: "data"] else { continue }
        kinds[members[0].name, default: 0] += 1
      }
      #expect(kinds["n", default: 0] > 30 && kinds["t", default: 0] > 30, "\(kinds)")
    }

    @Test func aUnionIsNotANumber() throws {
      let steps =
        "  a: {call: kinds.event, with: {e: {data: {number: 1}}}}\n"
        + "  b: {call: kinds.whole, with: {x: {step: a, get: data}}}\n"
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n\(steps)")
      let ending = try HostProcess.run("run", "--progress", "off", file.path)
      #expect(ending.status == 64)
      #expect(ending.errors.contains("\"x\" is i64, but the step \"a\"'s data is "), "\(ending.errors)")
    }
  }
}
