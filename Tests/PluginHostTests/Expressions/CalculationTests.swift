import PluginRuntime
import Testing

@testable import plugin_host

/// Numbers in expressions, in which names are arguments of a callback.
@Suite struct CalculationTests {
  private func value(_ text: String, x: PluginValue = .int(7), y: PluginValue = .int(2)) throws -> PluginValue {
    try Expression(parsing: text, names: .arguments).value { operand in
      switch operand {
      case .variable("x"), .variable("$1"): x
      case .variable("y"): y
      case .variable("p"): .object([PluginMember("q", .array([.int(4), .int(5)]))])
      case .variable("my-var"): .string("0.5")
      default: .void
      }
    }
  }

  @Test(
    arguments: [
      ("1 + 2 * 3", .int(7)), ("(1 + 2) * 3", .int(9)), ("10 - 4 - 3", .int(3)), ("x-y", .int(5)), ("x -1", .int(6)),
      ("-x + +y", .int(-5)), ("- -x", .int(7)), ("x / y", .int(3)), ("-x / y", .int(-3)), ("-x % y", .int(-1)),
      ("24 / 4 / 3", .int(2)), ("7 % 4 * 2", .int(6)),
      ("x / 2.0", .double(3.5)), ("0.5 + x", .double(7.5)), ("7.5 % 2", .double(1.5)), (".5", .double(0.5)),
      ("2e3", .double(2000)), ("2E-1", .double(0.2)), ("1e+2", .double(100)), ("0xff - 0x0f", .int(240)),
      ("9223372036854775807 + 1", .uint(9_223_372_036_854_775_808)), ("18446744073709551615", .uint(.max)),
      ("-9223372036854775808", .int(.min)), ("18446744073709551615 - 18446744073709551614", .int(1)),
      ("(x > y) - (x < y)", .int(1)), ("x > y", .bool(true)), ("not x", .bool(false)),
      ("x if x < y else y", .int(2)), ("1 if false else 2 if false else 3", .int(3)),
      ("(1 if true else 2) + 1", .int(2)),
      ("$1 + 1", .int(8)), ("p.q[0] + p.q[-1]", .int(9)), ("p.q.1", .int(5)), ("${my-var} * 2", .double(1)),
      ("'7' + 1", .int(8)), ("\"1.5\" * 2", .double(3)), ("'a'", .string("a")), ("null", .void),
    ] as [(String, PluginValue)])
  func calculates(text: String, expected: PluginValue) throws {
    #expect(try value(text) == expected)
  }

  /// No integer is rounded to an f64 to be compared with another number.
  @Test(
    arguments: [
      (.int(9_007_199_254_740_993), .double(9_007_199_254_740_992)), (.uint(.max), .double(1.8446744073709550e19)),
      (.double(-0.5), .int(0)), (.int(-1), .double(-0.5)), (.int(.max), .uint(9_223_372_036_854_775_808)),
      (.int(.min), .double(-9.2e18)), (.int(.max), .double(.infinity)), (.double(-.infinity), .int(.min)),
      (.uint(.max), .double(1e300)), (.string("9007199254740992"), .string("9007199254740993")),
      (.string("170141183460469231731687303715884105727"), .double(0x1p127)),
    ] as [(PluginValue, PluginValue)])
  func comparesExactly(_ first: PluginValue, _ second: PluginValue) throws {
    let (less, greater) = try value("x < y", x: first, y: second) == .bool(true) ? (first, second) : (second, first)
    #expect(try value("x < y", x: less, y: greater) == .bool(true))
    #expect(try value("x > y", x: greater, y: less) == .bool(true))
    #expect(try value("x == y", x: less, y: greater) == .bool(false))
    #expect(try value("x >= y", x: less, y: greater) == .bool(false))
    #expect(try value("x <= y or x > y or x == y", x: first, y: .double(.nan)) == .bool(false))
  }

  @Test(arguments: [
    ("18446744073709551615 + 1", "18446744073709551615 + 1 at column 22 leaves the range of integers"),
    ("1 + -9223372036854775808 - 2", "-9223372036854775807 - 2 at column 26 leaves the range of integers"),
    ("18446744073709551615 * 18446744073709551615", " leaves the range of integers"),
    ("x / (y - y)", "7 / 0 at column 3 divides by zero"), ("x % 0", "7 % 0 at column 3 divides by zero"),
    ("1.5 / 0", "1.5 / 0 at column 5 divides by zero"),
    ("9007199254740993 + 0.5", "mixes an f64 with an integer that no f64 holds"),
    ("null + 1", "null + 1 at column 6 is not a calculation with two numbers"),
    ("1 - 'a'", "1 - \"a\" at column 3 is not a calculation with two numbers"),
    ("'99999999999999999999' - 1", "is not a calculation with two numbers"),
  ])
  func reportsPlaces(text: String, message: String) throws {
    let error = #expect(throws: Expression.EvaluationError.self) { try value(text) }
    #expect(error?.description.contains(message) ?? false, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("x +", "it ends where an argument or a value is expected"),
    ("x y", "found \"y\", expected an operator, or the end"),
    ("x if y", "found the end, expected \"else\""),
    ("18446744073709551616", "is neither an integer of 64 bits nor an f64"),
    ("1.2.3", "is neither an integer of 64 bits nor an f64"), ("5x", "is neither an integer of 64 bits nor an f64"),
    ("0x", "is neither an integer of 64 bits nor an f64"), ("1e999", "is neither an integer of 64 bits nor an f64"),
    ("-18446744073709551615", "the number at column 1 is less than -2^63"),
    ("$0", "\"$0\" is neither an argument nor a value; write texts in quotes"), ("x..y", "is not a path"),
    ("x[y]", "a number and"),
  ])
  func refuses(text: String, message: String) {
    let error = #expect(throws: Expression.EvaluationError.self) { try Expression(parsing: text, names: .arguments) }
    #expect(error?.description.contains(message) ?? false, "\(error?.description ?? "")")
  }
}
