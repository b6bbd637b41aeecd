import PluginRuntime

/// Reading functions and their parameters.
extension Header {
  /// `attribute` returns the text of an attribute, which may be a macro of another file.
  func function(
    _ node: HeaderNode, _ source: ParameterSource, attribute: (HeaderNode) -> String
  ) -> Function? {
    guard let name = node.name else { return nil }
    let parameters = node.inner.filter { $0.kind == "ParmVarDecl" }
    let attributes = node.type.firstRange(of: " __attribute__")
    let type = attributes.map { String(node.type[..<$0.lowerBound]) } ?? node.type
    let noReturn = node.inner.contains { ["C11NoReturnAttr", "NoReturnAttr"].contains($0.kind) }
    return Function(
      name: name, symbol: node.symbol ?? name, type: CTypeParser.parse(type),
      parameters: self.parameters(parameters, of: node, source),
      description: node.inner.first { $0.kind == "FullComment" }.flatMap(Self.firstSentence),
      isInline: node.storage == "static" || node.isInline && node.storage != "extern",
      returns: !noReturn && !node.type.contains("noreturn"), file: node.file,
      accesses: source.accesses(node), isPrintf: source.isPrintf(node, attribute: attribute))
  }

  private func parameters(_ nodes: [HeaderNode], of function: HeaderNode, _ source: ParameterSource) -> [Parameter] {
    let documentation = function.inner.first { $0.kind == "FullComment" }?.inner ?? []
    let comments = source.comments(nodes, end: function.lastStart)
    return nodes.enumerated().map { index, node in
      let documented = documentation.filter { $0.kind == "ParamCommandComment" && $0.parameter == node.name }
      let comment = comments[index] + documented.flatMap(\.inner).flatMap(\.inner).map(\.text).joined()
      let mark = comments[index].drop { !$0.isLetter }.prefix(while: \.isLetter).lowercased()
      let isRead = mark == "inout" || documented.contains { $0.direction == "in,out" }
      let isNullable = node.type.contains("_Nullable") || comment.contains("NULL") && !comment.contains("not NULL")
      return Parameter(
        name: node.name ?? ParameterSource.name(inComment: comments[index]), isArray: source.isArray(node),
        bound: bound(node, source), boundName: source.brackets(node).flatMap { Name.isValid($0) ? $0 : nil },
        isWritten: isRead || mark == "out" || documented.contains { $0.direction == "out" }, isRead: isRead,
        isNullable: isNullable, callbackNames: source.callbackNames(node), documentation: comment)
    }
  }

  private func bound(_ node: HeaderNode, _ source: ParameterSource) -> Int? {
    if let bound = source.bound(node) { return bound }
    guard let name = source.typedef(node), case .array(_, let count) = resolved(.named(name)) else { return nil }
    return count
  }

  /// Returns the first sentence of a documentation comment.
  private static func firstSentence(_ comment: HeaderNode) -> String? {
    guard let paragraph = comment.inner.first(where: { $0.kind == "ParagraphComment" }) else { return nil }
    let text = paragraph.inner.map(\.text).joined(separator: " ")
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !words.isEmpty else { return nil }
    return words.firstRange(of: ". ").map { String(words[..<$0.lowerBound]) + "." } ?? words
  }
}
