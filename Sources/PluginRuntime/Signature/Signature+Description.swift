extension Signature: CustomStringConvertible {
  /// The signature with one space where one may stand, and defaults as short as they go. Parsing it gives an equal one.
  public var description: String {
    var list = parameters.map(\.description)
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
    return text + resultNote.literal + (failure.map { " \($0.mark)" } ?? "")
  }
}

extension Signature.Completion: CustomStringConvertible {
  /// As a signature writes it: "by done returns i32".
  public var description: String {
    "by \(callbacks.joined(separator: " or "))\(returns.map { " returns \($0)" } ?? "")"
  }
}

extension FailureRule {
  /// As a signature ends in it: "!", "! errno".
  var mark: String { self == .status ? "!" : "! \(rawValue)" }
}

extension Optional<String> {
  /// A description as a signature writes it, after a space.
  fileprivate var literal: String { map { " \(PluginValue.string($0).json)" } ?? "" }
}

extension Parameter.Direction {
  /// What stands before the type.
  var prefix: String {
    switch self {
    case .input: ""
    case .output: "out "
    case .inOut: "inout "
    }
  }
}

extension Parameter: CustomStringConvertible {
  /// The parameter as a signature writes it: "seed: u32 = 0".
  public var description: String {
    let value = defaultValue.map { " = \($0.literal)" } ?? ""
    return "\(name): \(direction.prefix)\(type)\(value)\(note.literal)"
  }
}

extension PluginValue {
  /// The value as a signature writes it.
  fileprivate var literal: String {
    switch self {
    case .double(let number):
      // 30 rather than 30.0; but -0.0 has no shorter form.
      Int64(exactly: number).map { $0 == 0 && number.sign == .minus ? "-0.0" : String($0) } ?? json
    case .bytes(let bytes):
      String(validating: bytes, as: UTF8.self).map { PluginValue.string($0).json }
        ?? "[" + bytes.map(String.init).joined(separator: ", ") + "]"
    case .array(let elements): "[" + elements.map(\.literal).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(PluginValue.string($0.name).json): \($0.value.literal)" }.joined(separator: ", ") + "}"
    case .void, .bool, .int, .uint, .string, .pointer: json
    }
  }
}
