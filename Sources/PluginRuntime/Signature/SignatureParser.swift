/// Turns the text of a signature into its parts, by the grammar of `docs/signatures.md`.
struct SignatureParser {
  private var cursor: SignatureCursor

  /// As many as C lets a function have everywhere.
  private static let maximumParameters = 127

  init(_ text: String) { cursor = SignatureCursor(text) }

  mutating func parse() throws(SignatureError) -> Signature {
    let name = try identifier("the function's name")
    try cursor.require("(", or: " after the function's name")
    let parameters = try self.parameters()
    var result: ValueType?
    let hasResult = cursor.skip("->")
    if hasResult { result = try self.result() }
    let fails = cursor.skip("!")
    guard cursor.next.token == .end else {
      throw cursor.error(expected: "\(fails ? "" : hasResult ? "'!' or " : "'->', '!' or ")the end of the signature")
    }
    return Signature(name: name, parameters: parameters, result: result, fails: fails)
  }

  /// Reads the parameters and the closing parenthesis.
  private mutating func parameters() throws(SignatureError) -> [Parameter] {
    var parameters: [Parameter] = []
    if cursor.skip(")") { return parameters }
    while true {
      let column = cursor.next.column
      let name = try identifier(parameters.isEmpty ? "a parameter's name or ')'" : "a parameter's name")
      guard !parameters.contains(where: { $0.name == name }) else {
        throw cursor.error(at: column, found: "a second parameter '\(name)'", expected: "another name")
      }
      guard parameters.count < Self.maximumParameters else {
        throw cursor.error(
          at: column, found: "one more parameter, '\(name)'", expected: "at most \(Self.maximumParameters) of them")
      }
      try cursor.require(":", or: " and a type after the parameter's name")
      let type = try self.type()
      let hasDefault = cursor.skip("=")
      let defaultValue = hasDefault ? try self.defaultValue(of: type) : nil
      parameters.append(Parameter(name: name, type: type, defaultValue: defaultValue))
      if cursor.skip(")") { return parameters }
      guard cursor.skip(",") else { throw cursor.error(expected: hasDefault ? "',' or ')'" : "'=', ',' or ')'") }
    }
  }

  private mutating func result() throws(SignatureError) -> ValueType? {
    if cursor.next.token == .word("void") {
      cursor.advance()
      return nil
    }
    return try type()
  }

  private mutating func type() throws(SignatureError) -> ValueType {
    guard case .word(let word) = cursor.next.token else { throw cursor.error(expected: Self.typeNames) }
    switch word {
    case "own":
      cursor.advance()
      return try owned()
    case "promise":
      cursor.advance()
      try cursor.require("<", or: " after 'promise'")
      let element = try self.element()
      try cursor.require(">", or: " after the promise's type")
      return .promise(element)
    default:
      guard let type = Self.simpleTypes[word] else { throw cursor.error(expected: Self.typeNames) }
      cursor.advance()
      return type
    }
  }

  private mutating func owned() throws(SignatureError) -> ValueType {
    switch cursor.next.token {
    case .word("str"):
      cursor.advance()
      return .ownStr
    case .word("bytes"):
      cursor.advance()
      return .ownBytes
    default: throw cursor.error(expected: "'str' or 'bytes' after 'own'")
    }
  }

  /// The type of what a promise holds.
  private mutating func element() throws(SignatureError) -> ValueType? {
    guard case .word(let word) = cursor.next.token, word == "void" || Self.simpleTypes[word] != nil else {
      throw cursor.error(expected: "void or one of \(Self.simpleTypeNames): what the promise holds")
    }
    cursor.advance()
    return Self.simpleTypes[word]
  }

  private mutating func identifier(_ what: String) throws(SignatureError) -> String {
    guard case .word(let word) = cursor.next.token, word.unicodeScalars.first.map({ !("0"..."9" ~= $0) }) ?? false,
      word.unicodeScalars.allSatisfy({ "a"..."z" ~= $0 || "A"..."Z" ~= $0 || "0"..."9" ~= $0 || $0 == "_" })
    else { throw cursor.error(expected: "\(what) (letters of ASCII, digits and '_', no digit first)") }
    cursor.advance()
    return word
  }

  private static let simpleTypes: [String: ValueType] = Dictionary(
    uniqueKeysWithValues: ValueType.simple.map { ($0.description, $0) })
  private static let simpleTypeNames = ValueType.simple.map(\.description).joined(separator: ", ")
  private static let typeNames = "a type (\(simpleTypeNames), own str, own bytes, promise<T>)"
}

extension SignatureParser {
  /// Reads the default of a parameter: a number, true, false or a string, as its type has it.
  private mutating func defaultValue(of type: ValueType) throws(SignatureError) -> PluginValue {
    let (token, column) = cursor.next
    switch type {
    case .str, .ownStr, .cstr, .bytes, .ownBytes:
      guard token == .quote else { throw cursor.error(expected: "a \"string\" as the default of a \(type)") }
      let text = try cursor.string()
      if type == .cstr, text.utf8.contains(0) {
        throw cursor.error(
          at: column, found: "a string with a NUL in it", expected: "one without: a cstr would end there")
      }
      return type == .bytes || type == .ownBytes ? .bytes(Array(text.utf8)) : .string(text)
    case .promise:
      throw cursor.error(expected: "no default: a promise cannot have one")
    default:
      guard case .word(let word) = token, let value = ScalarLiteral.value(word, as: type) else {
        throw cursor.error(expected: "\(ScalarLiteral.expectation(type)) as the default")
      }
      cursor.advance()
      return value
    }
  }
}
