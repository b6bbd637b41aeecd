import SwiftSyntax

extension Generator {
  func statement(_ item: CodeBlockItemSyntax) {
    guard case .expr(let expression) = item.item, !item.isResult else { return }
    let core = expression.core
    if let assignment = core.as(InfixOperatorExprSyntax.self) {
      let isPlain = assignment.operator.is(AssignmentExprSyntax.self)
      let isDiscard = assignment.leftOperand.is(DiscardAssignmentExprSyntax.self)
      let isCompound = assignment.operator.as(BinaryOperatorExprSyntax.self)?.operator.text.isCompound ?? false
      // An assignment that initializes a variable cannot be left out.
      guard isDiscard || isCompound || isPlain && !item.isInInitializer else { return }
      add(isDiscard ? .call : .assignment, expression, after: "(nothing)", .skip(expression.range))
    } else if core.is(FunctionCallExprSyntax.self) {
      guard !Self.endings.contains(expression.calledName ?? "") else { return }
      add(.call, expression, after: "(nothing)", .skip(expression.range))
    }
  }

  private static let endings: Set = ["fatalError", "preconditionFailure", "exit", "_exit", "abort"]

  func branch(_ node: SwitchCaseSyntax) {
    guard let first = node.statements.first, let last = node.statements.last, !last.leaves else { return }
    // The expression is the value of a `switch`, or a call, which is left out as a statement.
    if node.statements.count == 1, case .expr = first.item { return }
    let range = first.range.lowerBound..<last.range.upperBound
    add(.branch, node, before: file[node.label.range], after: "(nothing)", .leave(range, "break"))
  }

  /// Makes a function return before its first statement.
  func early(_ body: CodeBlockItemListSyntax, returning type: TypeSyntax?) {
    guard let first = body.first, let last = body.last else { return }
    let range = first.range.lowerBound..<last.range.upperBound
    for value in type.results {
      let after = value.isEmpty ? "return" : "return \(value)"
      if body.count == 1, case .expr(let only) = first.item {
        guard !value.isEmpty, !only.is(IfExprSyntax.self), !only.is(SwitchExprSyntax.self) else { continue }
        add(.early, first, before: file[range], after: value, .choose(range, value))
      } else {
        add(.early, first, before: "(the body)", after: after, .leave(range, after))
      }
    }
  }
}

extension TypeSyntax? {
  /// The results that a function of this type may return early.
  fileprivate var results: [String] {
    guard let self else { return [""] }
    switch self.trimmedDescription {
    case "Void", "()": return [""]
    case "Bool": return ["true", "false"]
    case "Int", "Int32", "UInt32", "UInt64", "Int64", "UInt": return ["0"]
    default: return self.is(OptionalTypeSyntax.self) ? ["nil"] : []
    }
  }
}

extension CodeBlockItemSyntax {
  /// Whether the statement may be the value of its body.
  fileprivate var isResult: Bool {
    guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
    var node = list.parent
    while let here = node {
      if let function = here.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause != nil && list.parent?.parent?.id == here.id
      }
      if let accessor = here.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text == "get" }
      if here.is(AccessorBlockSyntax.self) { return true }
      if here.is(SwitchCaseSyntax.self) || here.is(CodeBlockSyntax.self) {
        node = here.parent
        if here.is(CodeBlockSyntax.self), node?.is(FunctionDeclSyntax.self) == true { continue }
        if node?.is(AccessorDeclSyntax.self) == true { continue }
        return false
      }
      // Another closure of one call may have a value, too: only the compiler can decide.
      return here.as(ClosureExprSyntax.self)?.isTest == true
    }
    return false
  }

  fileprivate var isInInitializer: Bool {
    var node = parent
    while let here = node, !here.is(FunctionDeclSyntax.self), !here.is(ClosureExprSyntax.self) {
      if here.is(InitializerDeclSyntax.self) { return true }
      node = here.parent
    }
    return false
  }

  /// Whether no statement after this one runs.
  fileprivate var leaves: Bool {
    switch item {
    case .stmt(let statement):
      return statement.is(ReturnStmtSyntax.self) || statement.is(ThrowStmtSyntax.self)
        || statement.is(BreakStmtSyntax.self)
    default: return false
    }
  }
}

extension ClosureExprSyntax {
  /// Whether the closure is an argument of a function of a sequence that asks it about elements.
  fileprivate var isTest: Bool {
    var node = parent
    while let here = node, here.is(LabeledExprSyntax.self) || here.is(LabeledExprListSyntax.self) { node = here.parent }
    guard let call = node?.as(FunctionCallExprSyntax.self) else { return false }
    return Self.testing.contains(ExprSyntax(call).calledName ?? "")
  }

  private static let testing: Set = [
    "allSatisfy", "compactMap", "contains", "count", "drop", "filter", "first", "firstIndex", "last", "lastIndex",
    "max", "min", "partition", "prefix", "removeAll", "sort", "sorted",
  ]
}

extension String {
  fileprivate var isCompound: Bool {
    hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(self)
  }
}
