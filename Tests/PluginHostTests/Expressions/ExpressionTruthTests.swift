import PluginRuntime
import Testing

@testable import plugin_host

/// The values of expressions: which count as true, which are equal, and which have an order.
@Suite struct ExpressionTruthTests {
  private func holds(_ text: String, _ x: PluginValue, _ y: PluginValue = .void) throws -> Bool {
    try Expression(parsing: text).isTrue { operand in
      if case .variable("x") = operand { x } else { y }
    }
  }

  @Test(arguments: [.bool(true), .int(-1), .uint(1), .string("true"), .string("yes"), .string("1")] as [PluginValue])
  func areTrue(value: PluginValue) throws {
    #expect(try holds("x", value))
    #expect(try !holds("not x", value))
  }

  @Test(
    arguments: [
      .void, .bool(false), .int(0), .uint(0), .double(0), .double(-0.0), .string("false"), .string("no"), .string("0"),
      .string(""),
    ] as [PluginValue])
  func areFalse(value: PluginValue) throws {
    #expect(try !holds("x", value))
    #expect(try holds("not x", value))
  }

  @Test(arguments: [.bytes([]), .array([]), .object([]), .string("maybe")] as [PluginValue])
  func areNeither(value: PluginValue) {
    #expect(throws: Expression.EvaluationError.self) { try holds("x", value) }
  }

  @Test(
    arguments: [
      (.int(1), .double(1)), (.uint(.max), .uint(.max)), (.string("7"), .int(7)), (.uint(7), .string("7.0")),
      (.string("true"), .bool(true)), (.bool(false), .string("false")), (.void, .void),
      (.array([.int(1)]), .array([.int(1)])),
    ] as [(PluginValue, PluginValue)])
  func areEqual(x: PluginValue, y: PluginValue) throws {
    #expect(try holds("x == y", x, y))
    #expect(try !holds("x != y", x, y))
  }

  @Test(
    arguments: [
      (.int(1), .double(1.5)), (.int(.max), .int(.max - 1)), (.uint(.max), .uint(.max - 1)), (.int(-1), .uint(.max)),
      (.string("7"), .string("7.0")), (.string("x"), .int(0)), (.string("yes"), .bool(true)), (.void, .int(0)),
      (.array([.int(1)]), .array([])),
    ] as [(PluginValue, PluginValue)])
  func areUnequal(x: PluginValue, y: PluginValue) throws {
    #expect(try !holds("x == y", x, y))
    #expect(try holds("x != y", x, y))
  }

  @Test("an integer of more than 128 bits is not rounded: it equals no number, and has no order")
  func longIntegers() throws {
    let (long, other) = (PluginValue.string("1" + String(repeating: "0", count: 39) + "1"), PluginValue.double(1e40))
    #expect(try !holds("x == y", long, other))
    for (x, y) in [(long, other), (other, long), (long, .string("5")), (long, .string("1e5")), (long, long)] {
      #expect(throws: Expression.EvaluationError.self) { try holds("x < y", x, y) }
    }
    #expect(throws: Expression.EvaluationError.self) { try holds("x + 1 > 0", long) }
    #expect(try holds("x < y", long, .string("a")))
  }

  @Test(
    arguments: [
      (.int(1), .double(1.5)), (.uint(1), .uint(2)), (.string("a"), .string("b")), (.string("9"), .int(10)),
      (.string("9"), .string("10")), (.string("0x9"), .int(10)),
    ] as [(PluginValue, PluginValue)])
  func haveAnOrder(less: PluginValue, greater: PluginValue) throws {
    for (symbol, results) in [
      ("<", [true, false, false]), ("<=", [true, false, true]), (">", [false, true, false]),
      (">=", [false, true, true]),
    ] {
      #expect(try holds("x \(symbol) y", less, greater) == results[0], "\(symbol)")
      #expect(try holds("x \(symbol) y", greater, less) == results[1], "\(symbol)")
      #expect(try holds("x \(symbol) y", less, less) == results[2], "\(symbol)")
    }
  }
}
