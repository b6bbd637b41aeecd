import PluginRuntime

/// A small expression: the condition of a step, `steps.size.bytes > 1000 and mode != "fast"`, or the body of a
/// callback, `left.size - right.size`.
///
/// Operators, from the weakest: `A if TEST else B`; `or`; `and`; `not`; `==`, `!=`, `<`, `<=`, `>`, `>=`; `+`, `-`;
/// `*`, `/`, `%`; the sign. Integers are exact, from -2^63 to 2^64 - 1.
indirect enum Expression: Sendable {
  case literal(PluginValue)
  /// A variable of the file, or an argument of the callback.
  case variable(String)
  /// The result of a step, with a path.
  case result(ResultReference)
  /// A part of a value: `left.size`.
  case part(Expression, ResultPath)
  case not(Expression)
  case and(Expression, Expression)
  case or(Expression, Expression)
  case compare(Comparison, Expression, Expression)
  /// The column of the operator, counted from 1, is for messages.
  case calculate(Operation, Expression, Expression, column: Int)
  case choose(if: Expression, then: Expression, else: Expression)

  enum Comparison: String, Sendable, CaseIterable {
    // The order in which the parser tries them: "<=" before "<".
    case equal = "=="
    case unequal = "!="
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"
  }

  enum Operation: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
  }

  /// An operand with its place in the text of an expression, as a `${...}` of a template.
  struct Embedded: Sendable {
    /// Counted in bytes of UTF-8.
    var range: Range<Int>
    var operand: Expression
  }

  /// The error for a text that is not an expression, or for operands of wrong kinds.
  struct EvaluationError: Error, CustomStringConvertible {
    var description: String
  }

  /// The names by which an expression refers to values.
  enum Names: Sendable {
    /// Variables, in which a "-" is a letter, results of steps, and parts of the element of a list.
    case variables
    /// Arguments of a callback, with paths to parts of them. Variables are in braces.
    case arguments
  }

  /// The operands of the outermost operator.
  private var parts: [Expression] {
    switch self {
    case .literal, .variable, .result: []
    case .part(let operand, _), .not(let operand): [operand]
    case .and(let left, let right), .or(let left, let right), .compare(_, let left, let right),
      .calculate(_, let left, let right, _):
      [left, right]
    case .choose(let test, let first, let second): [test, first, second]
    }
  }

  /// The variables, the results, and the parts of variables in the expression.
  var operands: [Expression] {
    switch self {
    case .variable, .result, .part(.variable, _): [self]
    default: parts.flatMap(\.operands)
    }
  }

  /// The results in the expression.
  var results: [ResultReference] {
    operands.compactMap { if case .result(let reference) = $0 { reference } else { nil } }
  }

  /// Returns the expression with substitutes for the variables and results for which `replacement` returns one.
  func replacing(_ replacement: (Expression) throws -> Expression?) rethrows -> Expression {
    switch self {
    case .literal: self
    case .variable, .result: try replacement(self) ?? self
    case .part(let operand, let path): .part(try operand.replacing(replacement), path)
    case .not(let operand): .not(try operand.replacing(replacement))
    case .and(let left, let right): .and(try left.replacing(replacement), try right.replacing(replacement))
    case .or(let left, let right): .or(try left.replacing(replacement), try right.replacing(replacement))
    case .compare(let comparison, let left, let right):
      .compare(comparison, try left.replacing(replacement), try right.replacing(replacement))
    case .calculate(let operation, let left, let right, let column):
      .calculate(operation, try left.replacing(replacement), try right.replacing(replacement), column: column)
    case .choose(let test, let first, let second):
      .choose(
        if: try test.replacing(replacement), then: try first.replacing(replacement),
        else: try second.replacing(replacement))
    }
  }
}
