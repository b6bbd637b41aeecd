import PluginRuntime

extension Expression {
  /// Parses an expression.
  ///
  /// - Parameter operands: parts of the text that are not parsed, with their operands.
  init(parsing text: String, names: Names = .variables, operands: [Embedded] = []) throws(EvaluationError) {
    var parser = ExpressionParser(text: text, names: names, operands: operands)
    self = try parser.choice(depth: 0)
    try parser.end()
  }
}

/// A parser by recursive descent, with one method for each precedence, the weakest first.
private struct ExpressionParser {
  private let text: String
  private let names: Expression.Names
  private var rest: Substring
  /// The number of operators so far. It is limited, because the tree is walked recursively.
  private var operators = 0
  private let operands: [(range: Range<String.Index>, operand: Expression)]

  init(text: String, names: Expression.Names, operands: [Expression.Embedded]) {
    self.text = text
    self.names = names
    rest = text[...]
    self.operands = operands.map { embedded in
      let start = text.utf8.index(text.startIndex, offsetBy: embedded.range.lowerBound)
      return (start..<text.utf8.index(start, offsetBy: embedded.range.count), embedded.operand)
    }
  }

  mutating func choice(depth: Int) throws(Expression.EvaluationError) -> Expression {
    guard depth < 100 else { throw Expression.EvaluationError(description: "nested deeper than 100 levels") }
    let first = try disjunction(depth: depth)
    guard take(word: "if") else { return first }
    let test = try disjunction(depth: depth)
    guard take(word: "else") else { throw unexpected("\"else\"") }
    return .choose(if: test, then: first, else: try choice(depth: depth + 1))
  }

  private mutating func disjunction(depth: Int) throws(Expression.EvaluationError) -> Expression {
    var left = try conjunction(depth: depth)
    while take(word: "or") {
      try count()
      left = .or(left, try conjunction(depth: depth))
    }
    return left
  }

  private mutating func conjunction(depth: Int) throws(Expression.EvaluationError) -> Expression {
    var left = try negation(depth: depth)
    while take(word: "and") {
      try count()
      left = .and(left, try negation(depth: depth))
    }
    return left
  }

  private mutating func negation(depth: Int) throws(Expression.EvaluationError) -> Expression {
    var count = 0
    while take(word: "not") { count += 1 }
    let comparison = try comparison(depth: depth)
    return switch count {
    case 0: comparison
    case let count where count % 2 == 1: .not(comparison)
    default: .not(.not(comparison))
    }
  }

  private mutating func comparison(depth: Int) throws(Expression.EvaluationError) -> Expression {
    let left = try sum(depth: depth)
    skipSpace()
    for comparison in Expression.Comparison.allCases where rest.hasPrefix(comparison.rawValue) {
      rest = rest.dropFirst(comparison.rawValue.count)
      return .compare(comparison, left, try sum(depth: depth))
    }
    return left
  }

  private mutating func sum(depth: Int) throws(Expression.EvaluationError) -> Expression {
    var left = try product(depth: depth)
    while let (operation, column) = try take([.add, .subtract]) {
      left = .calculate(operation, left, try product(depth: depth), column: column)
    }
    return left
  }

  private mutating func product(depth: Int) throws(Expression.EvaluationError) -> Expression {
    var left = try sign(depth: depth)
    while let (operation, column) = try take([.multiply, .divide, .remainder]) {
      left = .calculate(operation, left, try sign(depth: depth), column: column)
    }
    return left
  }

  /// Parses signs. A sign before a number is part of it; before anything else, `-x` is `0 - x`.
  private mutating func sign(depth: Int) throws(Expression.EvaluationError) -> Expression {
    var isNegative = false
    var column = 0
    while let (operation, place) = try take([.add, .subtract]) {
      if operation == .subtract { isNegative.toggle() }
      column = place
    }
    let operand = try operand(depth: depth)
    guard isNegative else { return operand }
    switch operand {
    case .literal(.double(let number)): return .literal(.double(-number))
    case .literal(.int), .literal(.uint):
      guard case .literal(let value) = operand, case .integer(let number)? = ExactNumber(value),
        let negated = ExactNumber.value(ofInteger: -number)
      else { throw Expression.EvaluationError(description: "the number at column \(column) is less than -2^63") }
      return .literal(negated)
    default: return .calculate(.subtract, .literal(.int(0)), operand, column: column)
    }
  }

  private mutating func operand(depth: Int) throws(Expression.EvaluationError) -> Expression {
    skipSpace()
    guard let first = rest.first else {
      throw Expression.EvaluationError(description: "it ends where \(expected) is expected")
    }
    if first == "(" {
      rest = rest.dropFirst()
      let inner = try choice(depth: depth + 1)
      skipSpace()
      guard rest.first == ")" else { throw unexpected("\")\"") }
      rest = rest.dropFirst()
      return inner
    }
    if first == "\"" || first == "'" { return try quoted(by: first) }
    if let embedded = operands.first(where: { $0.range.lowerBound == rest.startIndex }) {
      rest = text[embedded.range.upperBound...]
      return embedded.operand
    }
    if ("0"..."9").contains(first) || first == "." { return try number() }
    // As in texts, ${name} is the same as name.
    let isBraced = rest.hasPrefix("${")
    if isBraced { rest = rest.dropFirst(2) }
    let word = word(isBraced: isBraced)
    guard !word.isEmpty else { throw unexpected(expected) }
    if isBraced {
      guard rest.first == "}" else { throw unexpected("\"}\"") }
      rest = rest.dropFirst()
    }
    return try named(word)
  }

  /// Takes a text with its quotes.
  private mutating func quoted(by quote: Character) throws(Expression.EvaluationError) -> Expression {
    rest = rest.dropFirst()
    guard let end = rest.firstIndex(of: quote) else {
      throw Expression.EvaluationError(description: "a text has no end: expected \(quote)")
    }
    let content = rest[..<end]
    if let embedded = operands.first(where: { (rest.startIndex..<end).contains($0.range.lowerBound) }) {
      throw Self.quoted(text[embedded.range])
    }
    if names == .variables, let start = content.firstRange(of: "${")?.lowerBound,
      let end = content[start...].firstIndex(of: "}")
    {
      throw Self.quoted(content[start...end])
    }
    rest = rest[end...].dropFirst()
    return .literal(.string(String(content)))
  }

  private static func quoted(_ variable: Substring) -> Expression.EvaluationError {
    Expression.EvaluationError(description: "\(variable) has no value within quotes; write \(variable) without quotes")
  }

  /// Takes a name and the path behind it: `left.rows[-1]`.
  private mutating func word(isBraced: Bool) -> String {
    let hasHyphens = isBraced || names == .variables
    var isInBrackets = false
    let word = rest.prefix { character in
      if character == "[" || character == "]" { isInBrackets = character == "[" }
      return character.isLetter || character.isNumber || "_.[]$".contains(character)
        || character == "-" && (hasHyphens || isInBrackets)
    }
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  private mutating func number() throws(Expression.EvaluationError) -> Expression {
    var word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "." }
    // The sign of an exponent.
    if let last = word.last, last == "e" || last == "E", !word.hasPrefix("0x"),
      let sign = rest[word.endIndex...].first, sign == "-" || sign == "+"
    {
      let digits = rest[word.endIndex...].dropFirst().prefix { $0.isNumber }
      word = rest[..<digits.endIndex]
    }
    rest = rest.dropFirst(word.count)
    let isHexadecimal = word.hasPrefix("0x")
    let integer = isHexadecimal ? Int128(word.dropFirst(2), radix: 16) : Int128(word)
    if let integer, let value = ExactNumber.value(ofInteger: integer) { return .literal(value) }
    let isReal = !isHexadecimal && word.contains { ".eE".contains($0) }
    guard isReal, let number = Double(word), number.isFinite else {
      throw Expression.EvaluationError(
        description: "\"\(word.prefix(40))\" is neither an integer of 64 bits nor an f64; write texts in quotes")
    }
    return .literal(.double(number))
  }

  private func named(_ word: String) throws(Expression.EvaluationError) -> Expression {
    switch word {
    case "true": return .literal(.bool(true))
    case "false": return .literal(.bool(false))
    case "null": return .literal(.void)
    default: break
    }
    do throws(ResultPath.PathError) {
      if word.hasPrefix("steps.") { return .result(try ResultReference(parsing: word.dropFirst("steps.".count))) }
      guard names == .arguments else {
        if word.hasPrefix("item.") || word.hasPrefix("item[") {
          return .part(.variable("item"), try ResultPath(parsing: word.dropFirst("item".count)))
        }
        guard Name.isValid(word) else {
          throw ResultPath.PathError(message: "\"\(word)\" is not a variable, result or value; write texts in quotes")
        }
        return .variable(word)
      }
      let name = String(word.prefix { $0 != "." && $0 != "[" })
      let isNumbered = name.hasPrefix("$") && Int(name.dropFirst()).map { $0 > 0 } ?? false
      guard Name.isValid(name) || isNumbered else {
        throw ResultPath.PathError(message: "\"\(word)\" is neither an argument nor a value; write texts in quotes")
      }
      let path = try ResultPath(parsing: word.dropFirst(name.count))
      return path.parts.isEmpty ? .variable(name) : .part(.variable(name), path)
    } catch {
      throw Expression.EvaluationError(description: error.message)
    }
  }

  mutating func end() throws(Expression.EvaluationError) {
    skipSpace()
    if !rest.isEmpty { throw unexpected("an operator, or the end") }
  }

  private var expected: String {
    names == .variables ? "a variable, a result or a value" : "an argument or a value"
  }

  /// Takes one of the operators; returns it with its column.
  private mutating func take(
    _ operations: [Expression.Operation]
  ) throws(Expression.EvaluationError) -> (Expression.Operation, column: Int)? {
    skipSpace()
    for operation in operations where rest.hasPrefix(operation.rawValue) {
      try count()
      let column = text.distance(from: text.startIndex, to: rest.startIndex) + 1
      rest = rest.dropFirst()
      return (operation, column)
    }
    return nil
  }

  private mutating func take(word: String) -> Bool {
    skipSpace()
    guard rest.hasPrefix(word) else { return false }
    let after = rest.dropFirst(word.count)
    if let next = after.first, next.isLetter || next.isNumber || "_-.[".contains(next) { return false }
    rest = after
    return true
  }

  private mutating func count() throws(Expression.EvaluationError) {
    operators += 1
    guard operators <= 1000 else { throw Expression.EvaluationError(description: "more than 1000 operators") }
  }

  private mutating func skipSpace() { rest = rest.drop(while: \.isWhitespace) }

  private func unexpected(_ expected: String) -> Expression.EvaluationError {
    let found = rest.isEmpty ? "the end" : "\"\(rest.prefix(20))\""
    let operators = [("&&", "and"), ("||", "or"), ("!", "not"), ("=", "==")]
    let hint = operators.first { rest.hasPrefix($0.0) }.map { "; the operator is \"\($0.1)\"" } ?? ""
    return Expression.EvaluationError(description: "found \(found), expected \(expected)\(hint)")
  }
}
