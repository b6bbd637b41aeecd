import PluginRuntime

/// A command line that calls a function, ready to be pasted and changed.
enum CommandLineExample {
  /// Returns the command line; nil for a function with an argument that cannot be written there, such as an address.
  static func text(of function: FunctionDescription, in plugin: PluginDescription) -> String? {
    var words = ["plugin-host", "call", quoted(plugin.adoption?.file ?? plugin.path), function.name]
    for parameter in function.signature.inputs where parameter.fallback == nil {
      guard let value = parameter.argumentType.example else { return nil }
      words.append(quoted("\(parameter.name)=\(value)"))
    }
    return words.joined(separator: " ")
  }

  /// Quotes a word for a shell. A word with harmful characters is written in ASCII.
  private static func quoted(_ word: String) -> String {
    if word.unicodeScalars.contains(where: \.isHarmful) { return "$'\(escaped(word))'" }
    let isPlain = word.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_-./=,:+@".utf8.contains($0)
      }
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }

  /// Escapes a word for $'...'.
  private static func escaped(_ word: String) -> String {
    RawText.bytes(of: word).map { byte in
      let letter = Unicode.Scalar(byte)
      if letter == "'" || letter == "\\" { return "\\\(letter)" }
      if letter.isASCII, !letter.isControl { return "\(letter)" }
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }
}

extension ValueType {
  /// Returns a value as a user would type it.
  fileprivate var example: String? {
    if case .constant(let constants) = self, !constants.areOfLibrary { return constants.constants.first?.name }
    return switch kind {
    case .text, .bytes: "text"
    case .inlineText: "t"
    case .file: "@FILE"
    case .promise(let held): held.map { $0.example } ?? "null"
    case .callback(let type): type.example
    default: exampleJSON
    }
  }

  /// An example of a value, as JSON.
  private var exampleJSON: String? {
    switch kind {
    case .scalar(let scalar): return scalar.form == .bool ? "true" : scalar.form == .float ? "1.5" : "1"
    case .text, .bytes: return "\"text\""
    // The array may have no room for more.
    case .inlineText: return "\"t\""
    case .structure(let type):
      var members: [String] = []
      for field in type.fields where type.union(taggedBy: field.name) == nil && !type.isCount(field.name) {
        guard let value = field.type.exampleJSON else { return nil }
        members.append("\"\(field.name)\":\(value)")
      }
      return "{\(members.joined(separator: ","))}"
    case .union(let type): return type.choices.first?.exampleJSON
    case .list(let element, let count):
      return element.exampleJSON.map { "[\([String](repeating: $0, count: count ?? 2).joined(separator: ","))]" }
    case .value: return "null"
    case .pointer, .file, .promise, .callback, .error, .token, .context: return nil
    }
  }
}

extension CallbackType {
  /// An example of an expression; nil if no expression has such a result.
  fileprivate var example: String? {
    switch result?.kind {
    case nil: "null"
    case .scalar(let scalar) where scalar.form == .bool: "true"
    case .text: "'text'"
    case _?: result?.isNumber ?? false ? closureParameters.first { $0.type.isNumber }.flatMap(\.name) ?? "0" : nil
    }
  }
}

extension ValueType {
  /// Whether the values of the type are numbers.
  fileprivate var isNumber: Bool { content.scalar.map { $0.form != .bool } ?? false }
}
