extension SignatureParser {
  /// Parses a parameter's default: a JSON literal of the parameter's type.
  mutating func defaultValue(of type: ValueType) throws(SignatureError) -> PluginValue {
    let (token, column) = cursor.next
    if case .optional(let wrapped) = type {
      return cursor.skip(word: "null") ? .void : try defaultValue(of: wrapped)
    }
    if case .reference(let target) = type { return try defaultValue(of: target) }
    if case .constant(let constants) = type { return try defaultValue(among: constants) }
    switch type.kind {
    case .text, .bytes:
      guard token == .quote else { throw cursor.error(expected: "a \"string\" as the default of a \(type)") }
      let text = try cursor.string()
      if type.content == .cstr, text.utf8.contains(0) {
        throw cursor.error(
          at: column, found: "a string with a NUL in it", expected: "one without: a cstr would end there")
      }
      return type.content == .bytes ? .bytes(Array(text.utf8)) : .string(text)
    case .structure, .list, .inlineText: return try json(of: type)
    case .scalar: return try literal(of: type, type.expectation, as: "the default")
    case .promise: throw cursor.error(expected: "no default: a promise cannot have one")
    default: throw cursor.error(expected: "no default: a \(type) cannot have one")
    }
  }

  /// Parses a scalar's literal.
  mutating func literal(
    of type: ValueType, _ expectation: String, as role: String
  ) throws(SignatureError) -> PluginValue {
    guard case .word(let word) = cursor.next.token, let value = type.scalar?.value(ofLiteral: word) else {
      throw cursor.error(expected: "\(expectation) as \(role)")
    }
    cursor.advance()
    return value
  }

  /// Parses an array or an object.
  private mutating func json(of type: ValueType) throws(SignatureError) -> PluginValue {
    let start = cursor.next.column - 1
    let rest = Array(String(String.UnicodeScalarView(cursor.scalars[start...])).utf8)
    var scanner = JSONScanner(rest)
    // Converts a byte offset in the rest to a column of the text.
    func column(_ offset: Int) -> Int { start + 1 + rest[..<offset].count { $0 & 0xC0 != 0x80 } }
    let json: JSONText
    do {
      json = try JSONText(&scanner)
    } catch {
      throw cursor.error(at: column(error.offset), found: error.found, expected: error.expected)
    }
    do {
      let value = try type.value(fromJSON: json)
      cursor.position = column(scanner.position) - 1
      return value
    } catch {
      throw cursor.error(
        at: start + 1,
        found: "a default that does not suit: \(error.path.isEmpty ? "it" : error.path) \(error.message)",
        expected: "a \(type)")
    }
  }
}
