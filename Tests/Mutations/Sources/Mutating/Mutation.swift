/// A small fault in the code, behind a switch.
package struct Mutation: Sendable, Equatable {
  /// The classes of mutations.
  package enum Kind: String, Codable, Sendable, CaseIterable {
    /// A row of the hand-made table.
    case row
    /// A condition is negated: `if`, `guard`, `while`, `where`.
    case negate
    /// The branches of an `if` with an `else`, or of `a ? b : c`, are swapped.
    case swap
    /// An optional binding fails.
    case unbind
    /// An operand of `&&` or `||` is left out.
    case operand
    /// `<` becomes `<=`, `min` becomes `max`.
    case bound
    /// A constant of a calculation is one more, or one less.
    case constant
    /// A call is left out.
    case call
    /// An assignment is left out.
    case assignment
    /// A function returns at once.
    case early
    /// A `case` of a `switch` does nothing.
    case branch
    /// `true` becomes `false`.
    case flag
    /// A memory ordering is weakened. Counted apart: ordinary tests on x86 do not see it.
    case ordering
  }

  /// An identity that is stable when other declarations change: file, declaration, kind, ordinal; or the row's name.
  package let id: String
  package let kind: Kind
  /// The path of the mutated file, relative to the package.
  package let file: String
  /// The line of the first character of the code, from 1.
  package let line: Int
  package let before: String
  package let after: String
  /// Code put around the original, with `Mutation.number` in place of the switch's number.
  package let edit: Edit

  /// Stands for the number of the switch in an edit.
  package static let number: Character = "\u{1}"
}

/// Code inserted before and after a range of a file. With the switch off, the range keeps its meaning.
package struct Edit: Sendable, Equatable {
  /// UTF-8 offsets in the file.
  package let range: Range<Int>
  package let prefix: String
  package let suffix: String
  /// The nesting of edits with the same range: the lower one is outside.
  package let level: Int

  package init(_ range: Range<Int>, prefix: String, suffix: String, level: Int) {
    self.range = range
    self.prefix = prefix
    self.suffix = suffix
    self.level = level
  }
}

extension Edit {
  private static let on = "mutation_on(\(Mutation.number))"

  /// Chooses between a mutated copy of an expression and the expression.
  static func choose(_ range: Range<Int>, _ mutated: String) -> Edit {
    Edit(range, prefix: "(\(on) ? \(mutated) : ", suffix: ")", level: 4)
  }

  /// Negates a condition.
  static func negate(_ range: Range<Int>) -> Edit {
    Edit(range, prefix: "mutation_flip(\(Mutation.number), ", suffix: ")", level: 3)
  }

  /// Assumes an operand to be true, or false, without evaluating it.
  static func assume(_ range: Range<Int>, _ value: Bool) -> Edit {
    Edit(range, prefix: value ? "(\(on) || " : "(!\(on) && ", suffix: ")", level: 2)
  }

  /// Leaves a statement out.
  static func skip(_ range: Range<Int>) -> Edit {
    Edit(range, prefix: "if !\(on) { ", suffix: " }", level: 1)
  }

  /// Leaves a block before its first statement.
  static func leave(_ range: Range<Int>, _ statement: String) -> Edit {
    Edit(range, prefix: "if \(on) { \(statement) }; ", suffix: "", level: 1)
  }

  /// Puts a condition before others: false with the switch on.
  static func fail(_ range: Range<Int>) -> Edit {
    Edit(range, prefix: "!\(on), ", suffix: "", level: 3)
  }

  /// Replaces the statements of a body.
  static func replace(_ range: Range<Int>, _ mutated: String, returns: Bool = false) -> Edit {
    if returns {
      // Without `else`, because an `if` with `else` would be taken for an expression.
      return Edit(range, prefix: "if \(on) {\nreturn \(mutated)\n}\nreturn ", suffix: "", level: 0)
    }
    return Edit(range, prefix: "if \(on) {\n\(mutated)\n} else {\n", suffix: "\n}", level: 0)
  }
}
