import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct ConditionTests {
  /// Whether a condition holds where `v` is "7", `mode` is "fast", and a step's result is an object.
  private func holds(_ text: String) throws -> Bool {
    let result = PluginValue.object([
      PluginMember("n", .int(5)), PluginMember("rows", .array([.double(1.5), .uint(.max)])),
      PluginMember("ok", .bool(true)), PluginMember("none", .void),
    ])
    return try Condition(parsing: text).isTrue { operand in
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
    "\"a\" < \"b\"", "steps.a.ok == \"true\"", "notes == \"fast\"", "-1 < 0", "steps.a.rows.1 != -1",
  ])
  func holdsAndItsOppositeDoesNot(text: String) throws {
    #expect(try holds(text))
    #expect(try !holds("not (\(text))"))
  }

  @Test(arguments: [
    ("", "it ends where a variable, a result or a value is expected"),
    ("v ==", "it ends where a variable, a result or a value is expected"),
    ("v = 7", "found \"= 7\", expected an operator, or the end"),
    ("(v == 7", "found the end, expected \")\""), ("\"x", "a text has no end: \""),
    ("steps.1", "\"1\" does not name a step: \(Name.rule)"),
    ("a.b", "\"a.b\" is no variable, result or value; texts stand in quotes"),
    ("${v", "found the end, expected \"}\""), ("v 7", "found \"7\", expected an operator, or the end"),
  ])
  func refuses(text: String, message: String) {
    do {
      _ = try Condition(parsing: text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.description == message)
    }
  }

  @Test(arguments: [
    ("mode", "\"fast\" is neither true nor false; compare it with something"),
    ("steps.a.ok < 1", "true < 1: only numbers, or texts, have an order"),
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
    #expect(throws: Condition.Mistake.self) { try Condition(parsing: String(repeating: "(", count: 100_000)) }
    #expect(throws: Never.self) { try Condition(parsing: String(repeating: "not ", count: 10_000) + "true") }
  }
}

@Suite struct RetryTests {
  @Test func delaysGrowToTheirLimit() {
    let retry = Retry(times: 9, delay: 0.5, factor: 3, limit: 10)
    #expect((1...5).map { retry.delay(before: $0) } == [0.5, 1.5, 4.5, 10, 10])
    #expect(Retry(times: 1_000_000).delay(before: 1_000_000) == 60)
  }

  @Test func appliesToWhatIsNamed() {
    let all = Retry(times: 1)
    let some = Retry(times: 1, on: ["timeout", "fixture 7"])
    #expect(all.applies(to: .rejected(message: "x")) && all.applies(to: .timedOut(seconds: 1)))
    #expect(some.applies(to: .rejected(message: "x (fixture 7)")) && some.applies(to: .timedOut(seconds: 1)))
    #expect(!some.applies(to: .rejected(message: "timeout (fixture 8)")))
    #expect(!Retry(times: 1, on: ["x"]).applies(to: .timedOut(seconds: 1)))
    for failure in [CallFailure.wrongArguments(message: "x"), .interrupted, .skipped, .notRun(because: "x")] {
      #expect(!all.applies(to: failure))
    }
  }
}
