import SwiftSyntax

extension SourceFile {
  /// Generates all mutations of the file, in source order.
  package func mutations() -> [Mutation] {
    let generator = Generator(self)
    generator.walk(tree)
    return generator.mutations
  }
}

/// Finds the places of a file that can be mutated.
final class Generator: SyntaxVisitor {
  let file: SourceFile
  private(set) var mutations: [Mutation] = []
  private var ordinals: [String: Int] = [:]

  init(_ file: SourceFile) {
    self.file = file
    super.init(viewMode: .sourceAccurate)
  }

  /// Adds a mutation of a node. `before` and `after` are for the report.
  func add(_ kind: Mutation.Kind, _ node: some SyntaxProtocol, before: String? = nil, after: String, _ edit: Edit) {
    let stem = "\(file.path)#\(node.declarationPath)#\(kind.rawValue)"
    let ordinal = ordinals[stem, default: 0] + 1
    ordinals[stem] = ordinal
    mutations.append(
      Mutation(
        id: "\(stem)#\(ordinal)", kind: kind, file: file.path, line: file.line(at: node.range.lowerBound),
        before: before ?? file[node.range], after: after, edit: edit))
  }

  // Nodes without executable code, or without a place for a switch.
  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: GenericWhereClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  // Conditions (Generator+Conditions.swift).
  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    condition(node)
    return .visitChildren
  }
  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition, .negate)
    return .visitChildren
  }
  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition, .swap)
    return .visitChildren
  }

  // Expressions (Generator+Expressions.swift).
  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    infix(node)
    return .visitChildren
  }
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    orderings(node)
    extremum(node)
    return .visitChildren
  }
  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    flag(node)
    return .visitChildren
  }

  // Statements (Generator+Statements.swift).
  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    statement(node)
    return .visitChildren
  }
  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
    branch(node)
    return .visitChildren
  }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if let body = node.body { early(body.statements, returning: node.signature.returnClause?.type) }
    return .visitChildren
  }
}

extension ExprSyntax {
  /// The expression without `unsafe`, `try`, `await` and single parentheses around it.
  var core: ExprSyntax {
    if let node = self.as(UnsafeExprSyntax.self) { return node.expression.core }
    if let node = self.as(TryExprSyntax.self) { return node.expression.core }
    if let node = self.as(AwaitExprSyntax.self) { return node.expression.core }
    if let node = self.as(TupleExprSyntax.self), node.elements.count == 1, let only = node.elements.first {
      return only.expression.core
    }
    return self
  }

  /// The name of the function that a call calls.
  var calledName: String? {
    guard let call = core.as(FunctionCallExprSyntax.self) else { return nil }
    if let member = call.calledExpression.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
    return call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
  }
}
