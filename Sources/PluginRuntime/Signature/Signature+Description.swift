extension Signature: CustomStringConvertible {
  /// The signature in normalized spelling, with single spaces and the shortest defaults. Parsing it returns an equal
  /// signature.
  public var description: String {
    var list = texts(\.description) { "\($0.name): \($0.text(fields: $1))" }
    if let variadicIndex { list.insert("...", at: variadicIndex) }
    if let tail {
      let types = tail.types.map(\.description).joined(separator: " | ")
      list.append("...\(tail.name ?? ""): \(types)\(tail.note.literal)")
    }
    var text = "\(name)(\(list.joined(separator: ", ")))"
    if let result {
      text += " -> \(result)\(completion.map { " \($0)" } ?? "")"
    } else if resultNote != nil {
      text += " -> void"
    }
    text += countedByResult.map { " counts \($0)" } ?? ""
    return text + resultNote.literal + (failure.map { " \($0.mark(failureDetails))" } ?? "")
      + (failureDetails.message.map { " message \($0)" } ?? "")
  }
}

extension Signature.Completion: CustomStringConvertible {
  /// The completion as written in a signature: "by done returns i32".
  public var description: String {
    "by \(callbacks.joined(separator: " or "))\(returns.map { " returns \($0)" } ?? "")"
  }
}

extension Optional<String> {
  /// A description as written in a signature, after a space.
  var literal: String { map { " \(PluginValue.string($0).json)" } ?? "" }
}

extension Parameter.Direction {
  /// The keyword before the type.
  var prefix: String {
    switch self {
    case .input: ""
    case .output: "out "
    case .inOut: "inout "
    }
  }
}

extension Parameter {
  /// The keyword before the type, with the size of an object that the host allocates: "out(64) ".
  public var prefix: String {
    let own = isConstant ? "const " : isKept ? "keep " : allocatedSize.map { "out(\($0)) " } ?? direction.prefix
    return isMoved ? own + "moving " : own
  }
}

extension Parameter: CustomStringConvertible {
  /// The parameter as written in a signature: "seed: u32 = 0".
  public var description: String {
    "\(name): \(prefix)\(argumentType)\(assignment)\(counted.map { " counts \($0)" } ?? "")\(note.literal)"
  }

  /// The default or the constant as written behind the type: " = 0"; empty without one.
  var assignment: String { defaultValue.map { " = \($0.literal)" } ?? "" }
}

extension PluginValue {
  /// The value as written in a signature.
  fileprivate var literal: String {
    switch self {
    case .double(let number):
      // 30 instead of 30.0; -0.0 has no shorter form.
      Int64(exactly: number).map { $0 == 0 && number.sign == .minus ? "-0.0" : String($0) } ?? json
    case .bytes(let bytes):
      String(validating: bytes, as: UTF8.self).map { PluginValue.string($0).json }
        ?? "[" + bytes.map(String.init).joined(separator: ", ") + "]"
    case .array(let elements): "[" + elements.map(\.literal).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(PluginValue.string($0.name).json): \($0.value.literal)" }.joined(separator: ", ") + "}"
    case .void, .bool, .int, .uint, .string, .pointer, .file: json
    }
  }
}
