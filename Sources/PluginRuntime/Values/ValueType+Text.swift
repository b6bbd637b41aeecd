extension ValueType {
  /// Converts text to a value of this type; for a promise, to a value of the type that it holds.
  ///
  /// The conversion accepts more than a signature's defaults: integers may be hexadecimal, floats may be "inf" and
  /// "nan". Structs, arrays, slices and values are JSON. A call does the same with `Argument.Content.text`; use this
  /// method to validate text without a call.
  ///
  /// - Throws: `ArgumentMismatch`.
  public func value(fromText text: String) throws(ArgumentMismatch) -> PluginValue {
    switch self {
    case .constant(let constants): return try constants.value(fromText: text)
    case .optional(let type): return text == "null" && !type.isText ? .void : try type.value(fromText: text)
    default: break
    }
    switch kind {
    case .scalar(let scalar):
      guard let value = scalar.value(fromText: text) else { throw mismatch(text, expectation) }
      return value
    case .text(let hasNUL): return .string(try Self.text(text, hasNUL: hasNUL))
    case .inlineText(let size):
      try InlineText.check(text, size: size)
      return .string(text)
    case .bytes: return .bytes(Array(text.utf8))
    case .promise(let held?): return try held.value(fromText: text)
    case .promise(nil):
      guard text.isEmpty || text == "null" else { throw mismatch(text, "nothing, or null: the promise is one of void") }
      return .void
    case .list, .structure, .union, .value, .error: return try content.value(fromJSONText: text)
    case .pointer, .file, .callback, .token, .context:
      throw mismatch(text, expectationWithoutText)
    }
  }

  /// Returns the text, if a type that has a NUL at its end can hold it.
  static func text(_ text: String, hasNUL: Bool) throws(ArgumentMismatch) -> String {
    guard hasNUL || !text.utf8.contains(0) else {
      throw ArgumentMismatch(message: "contains a NUL, which would end the cstr")
    }
    return text
  }

  private func value(fromJSONText text: String) throws(ArgumentMismatch) -> PluginValue {
    let json: JSONText
    do {
      json = try JSONText(parsing: Array(text.utf8))
    } catch {
      throw ArgumentMismatch(message: "cannot be read as JSON, the form of \(self): \(error)")
    }
    return try value(fromJSON: json)
  }

  /// Converts the content of a file to a value of this type: raw for bytes, as UTF-8 for text, and for other types as
  /// text without the white space around it.
  ///
  /// - Throws: `ArgumentMismatch`.
  public func value(fromContents bytes: [UInt8]) throws(ArgumentMismatch) -> PluginValue {
    var type = unwrapped
    if case .promise(let element?) = self { type = element.unwrapped }
    if type.content == .bytes { return .bytes(bytes) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ArgumentMismatch(message: "is not UTF-8, which \(self) has to be")
    }
    if type.isText { return try type.value(fromText: text) }
    let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
    return try value(fromText: String(text[..<end].drop { $0.isWhitespace }))
  }

  /// Whether every text is a value of the type.
  var isText: Bool {
    switch kind {
    case .text, .bytes: true
    default: false
    }
  }

  private func mismatch(_ text: String, _ expected: String) -> ArgumentMismatch {
    let shown = text.count > 40 ? text.prefix(40) + "..." : text[...]
    return ArgumentMismatch(message: "is \(PluginValue.string(String(shown)).json), expected \(expected)")
  }
}
