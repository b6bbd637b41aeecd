import Foundation
import PluginRuntime
import PromisesTestSupport
import Testing

/// Replays the inputs that the fuzzer, `make fuzz`, has kept, in every run of the tests.
@Suite("Fuzzing: the kept corpus")
struct Replay {
  @Test("no text in the corpus ends the process", arguments: FuzzTarget.allCases)
  func replay(target: FuzzTarget) throws {
    let folder = Fixture.root.appendingPathComponent("Tests/Fuzz/corpus/\(target.rawValue)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count > 4)
    for name in names { target.run(try Data(contentsOf: folder.appendingPathComponent(name))) }
  }
}

/// The cost of a text grows with its length, for any content.
@Suite("Fuzzing: time grows with the text", .serialized)
struct Growth {
  /// The lengths are within the limit of a signature.
  @Test(
    "parsing a signature takes time linear in its length",
    arguments: [
      Pattern("many parameters", "f(", "a#: i32, ", "z: i32)"),
      Pattern("a description", "f(a: i32 \"", "\\u00e9", "\")"),
      Pattern("a default", "f(a: bytes = \"", "x", "\")"), Pattern("white space", "f(", " ", ")"),
      Pattern("an array as the default", "f(a: &[i32] = [", "1, ", "2])"),
      Pattern("fields", "f(a: {", "a#: i8, ", "z: i8})"),
      Pattern("opening braces", "f(a: ", "{a: ", ""), Pattern("one word", "f(a: ", "x", ")"),
      Pattern("a string without an end", "f(a: str = \"", "\\n", ""), Pattern("a number", "f(a: f64 = ", "1", ")"),
      Pattern("combining marks", "f(a: i32 \"", "e\u{301}", "\")"), Pattern("callbacks", "f(a: fn(", "i32, ", "i32))"),
    ])
  func signature(pattern: Pattern) {
    expectLinear(pattern, from: 3_500) { text in _ = (try? Signature(parsing: text)).map { ($0.description, $0.hash) } }
  }

  @Test(
    "parsing JSON takes time linear in its length",
    arguments: [
      Pattern("numbers", "[", "1, ", "2]"), Pattern("objects", "[", "{\"a\": 1}, ", "{}]"),
      Pattern("members", "{", "\"a#\": 1, ", "\"z\": 2}"), Pattern("a string", "\"", "x", "\""),
      Pattern("escapes", "\"", "\\u00e9", "\""), Pattern("one number", "", "1", ""),
      Pattern("white space", "", " ", "1"),
      Pattern("opening brackets", "", "[", ""), Pattern("base64", "{\"base64\": \"", "AAAA", "\"}"),
      Pattern("surrogates", "\"", "\\ud83d\\ude00", "\""),
    ])
  func json(pattern: Pattern) throws {
    let types = try Signature(parsing: "f(a: value, b: bytes, c: &[f64], d: str)").inputs.map(\.type)
    expectLinear(pattern, from: 8_000) { text in
      guard let json = try? JSONText(parsing: Array(text.utf8)) else { return }
      for type in types { _ = (try? type.value(fromJSON: json))?.json }
    }
  }

  @Test(
    "converting the text of an argument takes time linear in its length",
    arguments: ["i64", "f64", "bool", "cstr", "bytes", "ptr<x>", "&[u8]"])
  func text(type: String) throws {
    let type = try Signature(parsing: "f(a: \(type))").inputs[0].type
    for pattern in [
      Pattern("digits", "", "1", ""), Pattern("hexadecimal digits", "0x", "f", ""), Pattern("letters", "", "é", ""),
    ] {
      expectLinear(pattern, from: 8_000) { text in _ = try? type.value(fromText: text) }
    }
  }

  struct Pattern: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let head: String, body: String, tail: String

    init(_ name: String, _ head: String, _ body: String, _ tail: String) {
      (testDescription, self.head, self.body, self.tail) = (name, head, body, tail)
    }

    /// Returns a text of about that length, with another number for "#" in each repetition.
    func text(_ length: Int) -> String {
      var text = head
      var number = 0
      while text.utf8.count < length {
        text += body.replacingOccurrences(of: "#", with: "\(number)")
        number += 1
      }
      return text + tail
    }
  }

  /// Expects that a text of four times the length costs at most about four times as much: sixteen times is quadratic.
  private func expectLinear(_ pattern: Pattern, from length: Int, _ work: (String) -> Void) {
    let texts = [pattern.text(length), pattern.text(4 * length)]
    func isLinear(_ costs: [Double]) -> Bool { costs[1] <= 8 * max(costs[0], 20_000) }
    let costs = least(until: isLinear) { texts.map { text in threadTime { work(text) } } }
    #expect(isLinear(costs), "\(pattern.testDescription): \(costs) ns for one length and four times that")
  }
}
