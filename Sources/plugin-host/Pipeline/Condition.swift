import PluginRuntime

/// The condition of a step: `steps.size.bytes > 1000 and mode != "fast"`.
///
/// Names are variables, `steps.NAME` with a path is a result. Operators, from the weakest: `or`, `and`, `not`, and
/// `==`, `!=`, `<`, `<=`, `>`, `>=`.
indirect enum Condition: Sendable {
  case literal(PluginValue)
  case variable(String)
  case result(ResultReference)
  case not(Condition)
  case and(Condition, Condition)
  case or(Condition, Condition)
  case compare(Comparison, Condition, Condition)

  enum Comparison: String, Sendable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// A text that is no condition, or values that cannot be compared.
  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  /// The variables and the results in it.
  var operands: [Condition] {
    switch self {
    case .literal: []
    case .variable, .result: [self]
    case .not(let operand): operand.operands
    case .and(let left, let right), .or(let left, let right), .compare(_, let left, let right):
      left.operands + right.operands
    }
  }

  /// The results in it.
  var results: [ResultReference] {
    operands.compactMap { if case .result(let reference) = $0 { reference } else { nil } }
  }

  /// Whether it holds. `value` gives the values of its variables and results.
  func isTrue(_ value: (Condition) throws -> PluginValue) throws -> Bool {
    switch self {
    case .literal, .variable, .result: return try Self.truth(of: self.value(value))
    case .not(let operand): return try !operand.isTrue(value)
    case .and(let left, let right): return try left.isTrue(value) && right.isTrue(value)
    case .or(let left, let right): return try left.isTrue(value) || right.isTrue(value)
    case .compare(let comparison, let left, let right):
      return try comparison.holds(left.value(value), right.value(value))
    }
  }

  private func value(_ value: (Condition) throws -> PluginValue) throws -> PluginValue {
    switch self {
    case .literal(let value): value
    case .variable, .result: try value(self)
    case .not, .and, .or, .compare: .bool(try isTrue(value))
    }
  }

  private static func truth(of value: PluginValue) throws(Mistake) -> Bool {
    switch value {
    case .void: return false
    case .bool(let value): return value
    case .int(let number): return number != 0
    case .uint(let number): return number != 0
    case .string("true"), .string("yes"), .string("1"): return true
    case .string("false"), .string("no"), .string("0"), .string(""): return false
    default: throw Mistake(description: "\(value.summary) is neither true nor false; compare it with something")
    }
  }
}

extension Condition.Comparison {
  fileprivate func holds(_ left: PluginValue, _ right: PluginValue) throws(Condition.Mistake) -> Bool {
    if self == .equal || self == .unequal { return Self.areEqual(left, right) == (self == .equal) }
    if let left = Self.number(left), let right = Self.number(right) { return holds(left, right) }
    if case .string(let left) = left, case .string(let right) = right { return holds(left, right) }
    throw Condition.Mistake(
      description: "\(left.summary) \(rawValue) \(right.summary): only numbers, or texts, have an order")
  }

  private func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .equal: left == right
    case .unequal: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  /// A text equals the number or the truth value that it is written as.
  private static func areEqual(_ left: PluginValue, _ right: PluginValue) -> Bool {
    switch (left, right) {
    case (.string(let text), .bool(let value)), (.bool(let value), .string(let text)): text == "\(value)"
    case (.string, .string): left == right
    case (.int(let left), .int(let right)): left == right
    case (.uint(let left), .uint(let right)): left == right
    default: number(left).flatMap { left in number(right).map { left == $0 } } ?? (left == right)
    }
  }

  private static func number(_ value: PluginValue) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    case .string(let text): Double(text)
    default: nil
    }
  }
}

extension Condition {
  /// Parses a condition.
  init(parsing text: String) throws(Mistake) {
    var parser = ConditionParser(rest: text[...])
    self = try parser.disjunction(depth: 0)
    try parser.end()
  }
}

private struct ConditionParser {
  var rest: Substring

  mutating func disjunction(depth: Int) throws(Condition.Mistake) -> Condition {
    guard depth < 100 else { throw Condition.Mistake(description: "nested deeper than 100 levels") }
    var left = try conjunction(depth: depth)
    while take(word: "or") { left = .or(left, try conjunction(depth: depth)) }
    return left
  }

  private mutating func conjunction(depth: Int) throws(Condition.Mistake) -> Condition {
    var left = try negation(depth: depth)
    while take(word: "and") { left = .and(left, try negation(depth: depth)) }
    return left
  }

  private mutating func negation(depth: Int) throws(Condition.Mistake) -> Condition {
    var count = 0
    while take(word: "not") { count += 1 }
    let comparison = try comparison(depth: depth)
    return count % 2 == 1 ? .not(comparison) : comparison
  }

  private mutating func comparison(depth: Int) throws(Condition.Mistake) -> Condition {
    let left = try operand(depth: depth)
    skipSpace()
    for symbol in ["==", "!=", "<=", ">=", "<", ">"] where rest.hasPrefix(symbol) {
      rest = rest.dropFirst(symbol.count)
      guard let comparison = Condition.Comparison(rawValue: symbol) else { break }
      return .compare(comparison, left, try operand(depth: depth))
    }
    return left
  }

  private mutating func operand(depth: Int) throws(Condition.Mistake) -> Condition {
    skipSpace()
    guard let first = rest.first else {
      throw Condition.Mistake(description: "it ends where a variable, a result or a value is expected")
    }
    if first == "(" {
      rest = rest.dropFirst()
      let inner = try disjunction(depth: depth + 1)
      skipSpace()
      guard rest.first == ")" else { throw unexpected("\")\"") }
      rest = rest.dropFirst()
      return inner
    }
    if first == "\"" || first == "'" {
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: first) else {
        throw Condition.Mistake(description: "a text has no end: \(first)")
      }
      defer { rest = rest[end...].dropFirst() }
      return .literal(.string(String(rest[..<end])))
    }
    // As in texts, ${name} is the same as name.
    let isBraced = rest.hasPrefix("${")
    if isBraced { rest = rest.dropFirst(2) }
    let word = rest.prefix { $0.isLetter || $0.isNumber || "_-.[]+".contains($0) }
    guard !word.isEmpty else { throw unexpected("a variable, a result or a value") }
    rest = rest.dropFirst(word.count)
    if isBraced {
      guard rest.first == "}" else { throw unexpected("\"}\"") }
      rest = rest.dropFirst()
    }
    return try named(String(word))
  }

  private func named(_ word: String) throws(Condition.Mistake) -> Condition {
    switch word {
    case "true": return .literal(.bool(true))
    case "false": return .literal(.bool(false))
    case "null": return .literal(.void)
    default: break
    }
    if let number = Int64(word) { return .literal(.int(number)) }
    if let number = Double(word), word.first?.isLetter == false { return .literal(.double(number)) }
    if word.hasPrefix("steps.") {
      do {
        return .result(try ResultReference(parsing: word.dropFirst("steps.".count)))
      } catch {
        throw Condition.Mistake(description: error.message)
      }
    }
    guard Name.isValid(word) else {
      throw Condition.Mistake(description: "\"\(word)\" is no variable, result or value; texts stand in quotes")
    }
    return .variable(word)
  }

  mutating func end() throws(Condition.Mistake) {
    skipSpace()
    if !rest.isEmpty { throw unexpected("an operator, or the end") }
  }

  private mutating func take(word: String) -> Bool {
    skipSpace()
    guard rest.hasPrefix(word) else { return false }
    let after = rest.dropFirst(word.count)
    if let next = after.first, next.isLetter || next.isNumber || "_-.[".contains(next) { return false }
    rest = after
    return true
  }

  private mutating func skipSpace() { rest = rest.drop(while: \.isWhitespace) }

  private func unexpected(_ expected: String) -> Condition.Mistake {
    let found = rest.isEmpty ? "the end" : "\"\(rest.prefix(20))\""
    return Condition.Mistake(description: "found \(found), expected \(expected)")
  }
}
