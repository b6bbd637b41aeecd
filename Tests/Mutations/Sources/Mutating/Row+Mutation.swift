import SwiftSyntax

extension Row {
  /// Returns the row's mutation of its file. Throws if its code is missing or ambiguous.
  package func mutation(of source: SourceFile) throws -> Mutation {
    let places = source.places(of: before)
    if places.isEmpty { throw fail("its code is not in \(file) any more: change the row, or remove it") }
    if place == 0 && places.count > 1 {
      let lines = places.map { String(source.line(at: $0.lowerBound)) }.joined(separator: ", ")
      throw fail("its code is in \(file) more than once (lines \(lines)): add context, or `place:`")
    }
    guard place <= places.count else { throw fail("its code is in \(file) \(places.count) times, not \(place)") }
    let part = places[max(place, 1) - 1]
    guard let edit = source.isSwift ? source.body(replacing: part, with: after) : source.statement(part, after) else {
      throw fail("no function's body has it, or it is no whole statement of C: no switch can stand there")
    }
    return Mutation(
      id: name, kind: .row, file: file, line: source.line(at: part.lowerBound), before: before, after: after, edit: edit
    )
  }

  /// Returns an error at the row.
  package func fail(_ message: String) -> TableError {
    TableError(table: table, line: lines.lowerBound, message: "\(name): \(message)")
  }

  /// Whether the row's file changed, or the row itself. `changed` has the changed lines by file.
  package func isConcerned(by changed: [String: Set<Int>]) -> Bool {
    changed[file] != nil || changed[table]?.contains(where: lines.contains) == true
  }
}

extension SourceFile {
  var isSwift: Bool { path.hasSuffix(".swift") }

  /// Finds code, ignoring differences in blanks.
  func places(of code: String) -> [Range<Int>] {
    let wanted = Array(code.utf8).filter { !$0.isBlank }
    let here = Array(text.utf8).enumerated().filter { !$0.element.isBlank }
    guard !wanted.isEmpty, here.count >= wanted.count else { return [] }
    var found: [Range<Int>] = []
    for start in 0...(here.count - wanted.count) where here[start].element == wanted[0] {
      if wanted.indices.allSatisfy({ here[start + $0].element == wanted[$0] }) {
        found.append(here[start].offset..<here[start + wanted.count - 1].offset + 1)
      }
    }
    return found
  }

  /// Returns the edit that puts a mutated copy of the body around a range behind a switch.
  func body(replacing part: Range<Int>, with new: String) -> Edit? {
    guard let token = tree.token(at: AbsolutePosition(utf8Offset: part.lowerBound)) else { return nil }
    var node = token.parent
    while let here = node {
      if let (statements, isValue) = here.statements, statements.contains(part) {
        let mutated = replacing(part, with: new, in: statements)
        return .replace(statements, mutated, returns: isValue)
      }
      // An `if` or a `switch` cannot be an operand: the body of the function is copied.
      if let initial = here.as(InitializerClauseSyntax.self)?.value, initial.range.contains(part),
        !initial.is(IfExprSyntax.self), !initial.is(SwitchExprSyntax.self)
      {
        return .choose(initial.range, "(" + replacing(part, with: new, in: initial.range) + ")")
      }
      node = here.parent
    }
    return nil
  }

  /// Returns the edit for C: of whole statements, or of an expression.
  func statement(_ part: Range<Int>, _ new: String) -> Edit? {
    guard self[part].isBalanced else { return nil }
    let on = "mutation_on(\(Mutation.number))"
    if self[part].hasSuffix(";") || self[part].hasSuffix("}") {
      return Edit(part, prefix: "if (\(on)) { \(new) } else { ", suffix: " }", level: 0)
    }
    return Edit(part, prefix: "(\(on) ? (\(new)) : (", suffix: "))", level: 0)
  }
}

extension Syntax {
  /// Returns the statements of a function, an initializer or an accessor, and whether they are a single expression, its
  /// value.
  fileprivate var statements: (Range<Int>, isValue: Bool)? {
    let list: CodeBlockItemListSyntax?
    var hasValue = false
    if let function = self.as(FunctionDeclSyntax.self) {
      list = function.body?.statements
      hasValue = function.signature.returnClause != nil
    } else if let accessor = self.as(AccessorDeclSyntax.self) {
      list = accessor.body?.statements
      hasValue = accessor.accessorSpecifier.text == "get"
    } else if case .getter(let getter)? = self.as(AccessorBlockSyntax.self)?.accessors {
      list = getter
      hasValue = true
    } else {
      list =
        self.as(InitializerDeclSyntax.self)?.body?.statements ?? self.as(DeinitializerDeclSyntax.self)?.body?.statements
    }
    guard let list, let first = list.first, let last = list.last else { return nil }
    var isValue = false
    if hasValue, list.count == 1, case .expr = first.item { isValue = true }
    return (first.range.lowerBound..<last.range.upperBound, isValue)
  }
}

extension StringProtocol {
  /// Whether each bracket has its counterpart.
  fileprivate var isBalanced: Bool {
    [("(", ")"), ("{", "}"), ("[", "]")].allSatisfy { open, end in
      count { $0 == open } == count { $0 == end }
    }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 32 || self == 10 || self == 9 || self == 13 }
}
