/// The text of a function's parameters in its header, which has more than their types: array bounds, and comments.
struct ParameterSource {
  private let text: [UInt8]

  init(_ text: [UInt8]) { self.text = text }

  /// Whether a parameter whose type is an address is written as an array: without an asterisk, or with brackets behind
  /// its name.
  func isArray(_ node: HeaderNode) -> Bool {
    guard case .pointer? = CTypeParser.parse(node.type) else { return false }
    if node.name != nil, node.lastStart > node.nameStart { return true }
    guard node.start <= node.nameStart, node.nameStart <= text.count else { return true }
    return !text[node.start..<node.nameStart].contains(UInt8(ascii: "*"))
  }

  /// Returns the number in `digest[32]` or `digest[static 32]`; nil if there is none, or if it is a name.
  func bound(_ node: HeaderNode) -> Int? {
    brackets(node).flatMap { Int($0) }.flatMap { (1...65536).contains($0) ? $0 : nil }
  }

  /// Returns the text in the only brackets behind a parameter's name, without `static`.
  func brackets(_ node: HeaderNode) -> String? {
    let name = Array((node.name ?? "").utf8)
    guard node.nameStart + name.count <= node.lastStart, node.lastStart < text.count,
      Array(text[node.nameStart..<node.nameStart + name.count]) == name
    else { return nil }
    let words = string(node.nameStart + name.count..<node.lastStart + 1)
    let inside = words.filter { $0 != " " }
    guard inside.hasPrefix("["), inside.hasSuffix("]") else { return nil }
    let content = inside.dropFirst().dropLast()
    return String(words.contains("static ") ? content.dropFirst(6) : content)
  }

  /// Returns the parameter names of a function pointer that is declared in place.
  func callbackNames(_ node: HeaderNode) -> [String?] {
    guard FunctionPointerText.isFunction(node.type), node.start < node.lastStart, node.lastStart < text.count,
      node.lastStart - node.start < 4000
    else { return [] }
    return FunctionPointerText.names(string(node.start..<node.lastStart + 1))
  }

  /// Returns the typedef of a parameter whose type is an address that is written without an asterisk: `uuid_t`.
  func typedef(_ node: HeaderNode) -> String? {
    guard node.name != nil, node.start < node.nameStart, node.nameStart <= text.count else { return nil }
    let words = string(node.start..<node.nameStart).split(whereSeparator: \.isWhitespace)
    let types = words.filter { $0 != "const" && $0 != "volatile" }
    return types.count == 1 ? String(types[0]) : nil
  }

  /// Whether a variadic function formats its arguments as `printf` does: its name ends with `printf`, or an attribute
  /// of its declaration, which headers often write as a macro, has the word.
  func isPrintf(_ node: HeaderNode, attribute: (HeaderNode) -> String) -> Bool {
    guard node.type.hasSuffix("...)") || node.type.contains("...) ") else { return false }
    let name = (node.name ?? "").lowercased()
    if name.contains("scan") { return false }
    let behind = declarator(node).dropFirst(name.count).lowercased()
    return name.hasSuffix("printf") || name.contains("printf_") || behind.contains("printf")
      || node.inner.contains { $0.kind == "FormatAttr" && attribute($0).contains("printf") }
  }

  /// Returns the text of an attribute, up to its first comma.
  func attribute(_ node: HeaderNode) -> String {
    guard node.start < text.count else { return "" }
    return string(node.start..<min(node.start + 100, text.count)).prefix { $0 != "," }.lowercased()
  }

  /// Returns a function's declaration from its name to the semicolon; empty if a macro expands to it.
  private func declarator(_ node: HeaderNode) -> String {
    let name = Array((node.name ?? "").utf8)
    guard !name.isEmpty, node.nameStart + name.count < text.count, text[node.nameStart...].starts(with: name) else {
      return ""
    }
    var depth = 0
    let end = text[node.nameStart...].prefix(4000).firstIndex { byte in
      depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
      return depth <= 0 && byte == UInt8(ascii: ";")
    }
    return end.map { string(node.nameStart..<$0) } ?? ""
  }

  /// Returns the text before a function's name, behind the declaration or the directive before it. A declaration that
  /// begins with a macro has the place where that is defined.
  private func prefix(_ node: HeaderNode) -> String {
    guard node.start < node.nameStart, node.nameStart <= text.count else { return "" }
    let start = max(node.start, node.nameStart - 1000)
    let ends = ([";", "}", "#"] as [Unicode.Scalar]).map { UInt8(ascii: $0) }
    let last = text[start..<node.nameStart].lastIndex(where: ends.contains)
    return string((last.map { $0 + 1 } ?? start)..<node.nameStart)
  }

  /// Returns the attributes `access(read_only, 1, 2)` before a function's declarator and behind its parameters, which
  /// the C library writes as `__attr_access ((__read_only__, 1, 2))`.
  func accesses(_ node: HeaderNode) -> [Header.Access] {
    var accesses: [Header.Access] = []
    var rest = (prefix(node) + declarator(node))[...]
    while let mark = rest.firstRange(of: "access") {
      rest = rest[mark.upperBound...]
      let inside = rest.drop { $0 == "_" || $0 == " " || $0 == "(" }.prefix { $0 != ")" }
      let words = inside.split { $0 == "," || $0.isWhitespace }.map { $0.filter { $0 != "_" } }
      guard words.count == 3, let pointer = Int(words[1]), let count = Int(words[2]),
        ["readonly", "writeonly", "readwrite"].contains(words[0])
      else { continue }
      accesses.append(
        Header.Access(
          isRead: words[0] != "writeonly", isWritten: words[0] != "readonly", pointer: pointer - 1, count: count - 1))
    }
    return accesses
  }

  /// Returns the comments beside each parameter. A comment on the line of the comma belongs to the parameter before it.
  func comments(_ parameters: [HeaderNode], end: Int) -> [String] {
    var comments = [String](repeating: "", count: parameters.count)
    for (index, node) in parameters.enumerated() {
      let next = index + 1 < parameters.count ? parameters[index + 1].start : end
      guard node.lastStart < next, next <= text.count, next - node.lastStart < 1000 else { continue }
      let gap = string(node.lastStart..<next)
      let line = index + 1 < parameters.count ? gap.prefix { !$0.isNewline } : gap[...]
      comments[index] += Self.comment(line)
      if index + 1 < parameters.count { comments[index + 1] += Self.comment(gap.dropFirst(line.count)) }
    }
    return comments
  }

  /// Returns the name of an unnamed parameter in a comment behind it, as in Xlib: `int * /* direction_return */`.
  static func name(inComment comment: String) -> String? {
    let word = String(comment.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    guard let first = word.first, first.isLetter || first == "_",
      word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }),
      !remarks.contains(word.lowercased())
    else { return nil }
    return word
  }

  /// Single words beside a parameter that are remarks, not its name.
  private static let remarks: Set<String> = [
    "in", "out", "inout", "in_out", "input", "output", "opt", "optional", "unused", "ignored", "nullable", "null",
    "notnull", "nonnull", "const", "array", "reserved", "deprecated", "todo", "fixme",
  ]

  /// Returns the content of the comments in a text.
  private static func comment(_ text: Substring) -> String {
    var rest = text
    var content = ""
    while let start = rest.firstRange(of: "/*"), let end = rest[start.upperBound...].firstRange(of: "*/") {
      content += rest[start.upperBound..<end.lowerBound]
      rest = rest[end.upperBound...]
    }
    if let start = rest.firstRange(of: "//") { content += rest[start.upperBound...] }
    return content
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
}
