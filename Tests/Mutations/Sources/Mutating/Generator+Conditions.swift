import SwiftSyntax

extension Generator {
  func condition(_ node: ConditionElementSyntax) {
    switch node.condition {
    case .expression(let expression):
      let statement = node.parent?.parent
      let hasElse = statement?.as(IfExprSyntax.self)?.elseBody != nil
      negate(expression, hasElse ? .swap : .negate)
    case .optionalBinding, .matchingPattern:
      add(.unbind, node, after: "(never)", .fail(node.range))
    default:
      break
    }
  }

  func negate(_ expression: ExprSyntax, _ kind: Mutation.Kind) {
    guard !expression.core.is(BooleanLiteralExprSyntax.self) else { return }
    add(kind, expression, after: "!(\(file[expression.range]))", .negate(expression.range))
  }
}
