import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A source file, parsed, with its operators folded.
package struct SourceFile {
  package let path: String
  package let text: String
  let tree: Syntax
  private let utf8: [UInt8]
  private let lineStarts: [Int]

  package init(path: String, text: String) {
    self.path = path
    self.text = text
    let utf8 = Array(text.utf8)
    self.utf8 = utf8
    let parsed = Parser.parse(source: text)
    tree = OperatorTable.standardOperators.foldAll(parsed) { _ in }
    lineStarts = [0] + utf8.indices.filter { utf8[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  package subscript(range: Range<Int>) -> String { String(decoding: utf8[range], as: UTF8.self) }

  var count: Int { utf8.count }

  /// Returns the line of an offset, from 1.
  package func line(at offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Returns a range of the text with one part replaced.
  func replacing(_ part: Range<Int>, with new: String, in whole: Range<Int>) -> String {
    self[whole.lowerBound..<part.lowerBound] + new + self[part.upperBound..<whole.upperBound]
  }
}

extension SyntaxProtocol {
  /// The range without the surrounding blanks and comments.
  var range: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }

  /// The names of the enclosing declarations, outermost first: `CellRef.release()`.
  var declarationPath: String {
    var names: [String] = []
    var node: Syntax? = Syntax(self)
    while let here = node {
      if let name = here.declaredName { names.append(name) }
      node = here.parent
    }
    return names.reversed().joined(separator: ".")
  }

  private var declaredName: String? {
    let node = Syntax(self)
    if let function = node.as(FunctionDeclSyntax.self) {
      return function.name.text + function.signature.parameterClause.labels
    }
    if let initializer = node.as(InitializerDeclSyntax.self) {
      return "init" + initializer.signature.parameterClause.labels
    }
    if let binding = node.as(PatternBindingSyntax.self), binding.parent?.parent?.parent?.isLocal == false {
      return binding.pattern.trimmedDescription
    }
    if node.is(SubscriptDeclSyntax.self) { return "subscript" }
    if node.is(DeinitializerDeclSyntax.self) { return "deinit" }
    if let accessor = node.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text }
    if let type = node.asProtocol((any NamedDeclSyntax).self), node.asProtocol((any DeclGroupSyntax).self) != nil {
      return type.name.text
    }
    return node.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
  }

  /// Whether the node is in the body of a function.
  private var isLocal: Bool {
    guard let item = Syntax(self).as(CodeBlockItemSyntax.self) else { return false }
    return item.parent?.parent?.is(SourceFileSyntax.self) == false
  }
}

extension FunctionParameterClauseSyntax {
  fileprivate var labels: String { "(" + parameters.map { $0.firstName.text + ":" }.joined() + ")" }
}
