import PluginRuntime

extension Expression {
  /// Whether the condition holds. `value` returns the values of variables and results.
  func isTrue(_ value: (Expression) throws -> PluginValue) throws -> Bool {
    try Self.truth(of: self.value(value))
  }

  /// Evaluates the expression. `value` returns the values of variables and results.
  func value(_ value: (Expression) throws -> PluginValue) throws -> PluginValue {
    switch self {
    case .literal(let value): return value
    case .variable, .result: return try value(self)
    case .part(let operand, let path): return try path.part(of: operand.value(value))
    case .not(let operand): return .bool(try !operand.isTrue(value))
    case .and(let left, let right): return .bool(try left.isTrue(value) && right.isTrue(value))
    case .or(let left, let right): return .bool(try left.isTrue(value) || right.isTrue(value))
    case .compare(let comparison, let left, let right):
      return .bool(try comparison.holds(left.value(value), right.value(value)))
    case .calculate(let operation, let left, let right, let column):
      return try operation.result(left.value(value), right.value(value), column: column)
    case .choose(let test, let first, let second):
      return try test.isTrue(value) ? first.value(value) : second.value(value)
    }
  }

  private static func truth(of value: PluginValue) throws(EvaluationError) -> Bool {
    switch value {
    case .void: return false
    case .bool(let value): return value
    case .int(let number): return number != 0
    case .uint(let number): return number != 0
    case .double(let number): return number != 0
    case .string("true"), .string("yes"), .string("1"): return true
    case .string("false"), .string("no"), .string("0"), .string(""): return false
    default: throw EvaluationError(description: "\(value.summary) is neither true nor false; compare it with something")
    }
  }
}

extension Expression.Comparison {
  fileprivate func holds(_ left: PluginValue, _ right: PluginValue) throws(Expression.EvaluationError) -> Bool {
    if self == .equal || self == .unequal { return Self.areEqual(left, right) == (self == .equal) }
    if case .string(let left) = left, case .string(let right) = right {
      guard ExactNumber.isNumber(left), ExactNumber.isNumber(right) else {
        return holds(left < right ? .less : left == right ? .equal : .greater)
      }
    }
    guard let first = ExactNumber(left), let second = ExactNumber(right) else {
      throw Expression.EvaluationError(
        description:
          "\(left.operand) \(rawValue) \(right.operand): expected two numbers of at most 128 bits, or two texts")
    }
    return holds(first.order(to: second))
  }

  private func holds(_ order: ExactNumber.Order) -> Bool {
    switch self {
    case .equal: order == .equal
    case .unequal: order != .equal
    case .less: order == .less
    case .lessOrEqual: order == .less || order == .equal
    case .greater: order == .greater
    case .greaterOrEqual: order == .greater || order == .equal
    }
  }

  /// Whether two values are equal. A text equals the number or the truth value that it spells.
  private static func areEqual(_ left: PluginValue, _ right: PluginValue) -> Bool {
    switch (left, right) {
    case (.string(let text), .bool(let value)), (.bool(let value), .string(let text)): return text == "\(value)"
    case (.string, .string): return left == right
    // The C types of numbers in them may differ.
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy(areEqual)
    case (.object(let left), .object(let right)):
      return left.count == right.count
        && zip(left, right).allSatisfy { $0.name == $1.name && areEqual($0.value, $1.value) }
    default:
      guard let first = ExactNumber(left), let second = ExactNumber(right) else { return left == right }
      return first.order(to: second) == .equal
    }
  }
}

extension Expression.Operation {
  /// Calculates with numbers, and with truth values as 1 and 0. Integers yield integers: `/` drops the fraction, and
  /// `%` has the sign of its left operand, as in C.
  fileprivate func result(
    _ left: PluginValue, _ right: PluginValue, column: Int
  ) throws(Expression.EvaluationError) -> PluginValue {
    func error(_ text: String) -> Expression.EvaluationError {
      Expression.EvaluationError(
        description: "\(left.operand) \(rawValue) \(right.operand) at column \(column) \(text)")
    }
    guard let first = ExactNumber(operand: left), let second = ExactNumber(operand: right) else {
      throw error("is not a calculation with two numbers")
    }
    if self == .divide || self == .remainder, second.isZero { throw error("divides by zero") }
    guard case .integer(let first) = first, case .integer(let second) = second else {
      guard let first = first.double, let second = second.double else {
        throw error("mixes an f64 with an integer that no f64 holds")
      }
      return .double(result(first, second))
    }
    guard let value = result(first, second).flatMap(ExactNumber.value(ofInteger:)) else {
      throw error("leaves the range of integers, -9223372036854775808 to 18446744073709551615")
    }
    return value
  }

  /// Calculates with integers; `nil` if the result does not fit in 128 bits. The divisor must not be 0.
  private func result(_ left: Int128, _ right: Int128) -> Int128? {
    switch self {
    case .add: return left + right
    case .subtract: return left - right
    case .multiply:
      let (value, overflows) = left.multipliedReportingOverflow(by: right)
      return overflows ? nil : value
    case .divide: return left / right
    case .remainder: return left % right
    }
  }

  private func result(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    case .remainder: left.truncatingRemainder(dividingBy: right)
    }
  }
}

extension PluginValue {
  /// The value as text for a message.
  fileprivate var operand: String { self == .void ? "null" : summary }
}
