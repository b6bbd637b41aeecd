import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct ExpressionTests {
  /// Whether a condition holds where `v` is "7", `mode` is "fast", and a step's result is an object.
  private func holds(_ text: String) throws -> Bool {
    let result = PluginValue.object([
      PluginMember("n", .int(5)), PluginMember("rows", .array([.double(1.5), .uint(.max)])),
      PluginMember("ok", .bool(true)), PluginMember("none", .void),
    ])
    return try Expression(parsing: text).isTrue { operand in
      switch operand {
      case .variable(let name): .string(name == "v" ? "7" : "fast")
      case .result(let reference): try reference.path.part(of: result)
      default: .void
      }
    }
  }

  @Test(arguments: [
    "true", "not false", "not not true", "v == 7", "v == \"7\"", "v > 6.5", "mode == 'fast'", "steps.a.n == 5",
    "${v} < 8 and ${steps.a.rows[0]} >= 1.5", "false or steps.a.ok", "not (v > 1 and mode != \"fast\") ",
    "true or true and false", "steps.a.none == null", "not steps.a.none", "steps.a.rows[1] == 18446744073709551615",
    "\"a\" < \"b\"", "v + 1 == 8", "v * 2 - 4 > steps.a.n", "true if v > 1 else false", "steps.a.ok == \"true\"",
    "notes == \"fast\"", "-1 < 0", "steps.a.rows.1 != -1", "0.5", "not 0.0", "not 0", "-1", "\"yes\"", "not \"no\"",
    "not \"\"",
  ])
  func holdsAndItsOppositeDoesNot(text: String) throws {
    #expect(try holds(text))
    #expect(try !holds("not (\(text))"))
  }

  @Test(arguments: [
    ("", "it ends where a variable, a result or a value is expected"),
    ("v ==", "it ends where a variable, a result or a value is expected"),
    ("v = 7", "found \"= 7\", expected an operator, or the end; the operator is \"==\""),
    ("v && v", "found \"&& v\", expected an operator, or the end; the operator is \"and\""),
    ("v || v", "found \"|| v\", expected an operator, or the end; the operator is \"or\""),
    ("!v", "found \"!v\", expected a variable, a result or a value; the operator is \"not\""),
    ("(v == 7", "found the end, expected \")\""), ("\"x", "a text has no end: expected \""),
    ("steps.1", "\"1\" does not name a step: \(Name.rule)"),
    ("a.b", "\"a.b\" is not a variable, result or value; write texts in quotes"),
    ("not[0]", "\"not[0]\" is not a variable, result or value; write texts in quotes"),
    ("\"${v}\" == \"a\"", "${v} has no value within quotes; write ${v} without quotes"),
    ("mode == 'a ${steps.a.n} b'", "${steps.a.n} has no value within quotes; write ${steps.a.n} without quotes"),
    ("${v", "found the end, expected \"}\""), ("v 7", "found \"7\", expected an operator, or the end"),
  ])
  func refuses(text: String, message: String) {
    do {
      _ = try Expression(parsing: text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.description == message)
    }
  }

  @Test(arguments: [
    ("mode", "\"fast\" is neither true nor false; compare it with something"),
    ("steps.a.ok < 1", "true < 1: expected two numbers of at most 128 bits, or two texts"),
  ])
  func reportsValues(text: String, message: String) throws {
    do {
      _ = try holds(text)
      Issue.record("\(text) was taken")
    } catch {
      #expect("\(error)" == message)
    }
  }

  @Test func survivesDeepNesting() {
    #expect(throws: Expression.EvaluationError.self) { try Expression(parsing: String(repeating: "(", count: 100_000)) }
    #expect(throws: Never.self) { try Expression(parsing: String(repeating: "not ", count: 10_000) + "true") }
    for (start, end) in [
      ("1 if 1 else ", "1"), ("-", "1"), ("1 + ", "1"), ("1 * ", "1"), ("1 or ", "1"), ("1 and ", "1"),
    ] {
      #expect(throws: Expression.EvaluationError.self) {
        try Expression(parsing: String(repeating: start, count: 50_000) + end)
      }
    }
  }
}
