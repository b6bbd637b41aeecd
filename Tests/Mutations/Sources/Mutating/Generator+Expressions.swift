import SwiftSyntax

extension Generator {
  func infix(_ node: InfixOperatorExprSyntax) {
    guard let name = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return }
    switch name.text {
    case "&&", "||":
      // Assumes each operand: true for `&&`, false for `||`.
      let isAnd = name.text == "&&"
      for (operand, other) in [(node.leftOperand, node.rightOperand), (node.rightOperand, node.leftOperand)] {
        add(.operand, operand, before: file[node.range], after: file[other.range], .assume(operand.range, isAnd))
      }
    case "==", "!=":
      if !node.isCondition {
        add(.negate, node, after: "!(\(file[node.range]))", .negate(node.range))
      }
    case "<": rename(node, name, "<=")
    case "<=": rename(node, name, "<")
    case ">": rename(node, name, ">=")
    case ">=": rename(node, name, ">")
    case "&+": rename(node, name, "&-")
    case "&-": rename(node, name, "&+")
    case "*", "/": constant(node.rightOperand)
    case "+", "-":
      constant(node.leftOperand)
      constant(node.rightOperand)
    default: break
    }
  }

  private func rename(_ node: InfixOperatorExprSyntax, _ name: TokenSyntax, _ new: String) {
    let mutated = file.replacing(name.range, with: new, in: node.range)
    add(.bound, node, after: mutated, .choose(node.range, mutated))
  }

  /// Mutates an integer literal that is an operand.
  private func constant(_ operand: ExprSyntax) {
    guard let literal = operand.as(IntegerLiteralExprSyntax.self), let value = Int(literal.literal.text) else { return }
    let mutated = String(value == 1 ? 0 : value + 1)
    add(.constant, literal, after: mutated, .choose(literal.range, mutated))
  }

  func extremum(_ node: FunctionCallExprSyntax) {
    guard let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName, node.arguments.count == 2,
      let other = ["min": "max", "max": "min"][name.text]
    else { return }
    let mutated = file.replacing(name.range, with: other, in: node.range)
    add(.bound, node, after: mutated, .choose(node.range, mutated))
  }

  func flag(_ node: BooleanLiteralExprSyntax) {
    // Literals of a return or an argument; those of loops and assignments have their own mutations.
    guard let parent = node.parent, parent.is(ReturnStmtSyntax.self) || parent.is(LabeledExprSyntax.self) else {
      return
    }
    let value = node.literal.text == "true"
    add(.flag, node, after: value ? "false" : "true", .negate(node.range))
  }

  // MARK: Memory orderings

  /// Weakens memory orderings. The compiler requires constants, so the switch chooses between whole calls.
  func orderings(_ node: FunctionCallExprSyntax) {
    for argument in node.arguments where argument.label?.text.hasSuffix("rdering") == true {
      guard let member = argument.expression.as(MemberAccessExprSyntax.self), member.base == nil else { continue }
      for weaker in Self.weaker(member.declName.baseName.text, of: node) {
        let mutated = file.replacing(member.declName.range, with: weaker, in: node.range)
        add(.ordering, node, after: mutated, .choose(node.range, mutated))
      }
    }
  }

  private static func weaker(_ ordering: String, of node: FunctionCallExprSyntax) -> [String] {
    switch ordering {
    case "acquiring", "releasing": return ["relaxed"]
    case "acquiringAndReleasing": return ["acquiring", "releasing"]
    case "sequentiallyConsistent":
      switch node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text {
      case "load": return ["acquiring"]
      case "store": return ["releasing"]
      default: return ["acquiringAndReleasing"]
      }
    default: return []
    }
  }
}

extension InfixOperatorExprSyntax {
  /// Whether the expression is a whole condition, which has a mutation of its own.
  fileprivate var isCondition: Bool {
    var node = parent
    while let here = node, here.is(UnsafeExprSyntax.self) || here.is(TryExprSyntax.self) { node = here.parent }
    return node?.is(ConditionElementSyntax.self) == true || node?.is(WhereClauseSyntax.self) == true
      || node?.as(TernaryExprSyntax.self)?.condition.range == range
  }
}
