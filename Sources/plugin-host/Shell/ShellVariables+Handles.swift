import PluginRuntime

/// Arrays and structs with handles in them: `[$a,$b]`, `{"name":$text}`.
extension ShellVariables {
  /// The beginning of a text that stands for a variable: no text of a user begins with it.
  private static let mark = "\u{1}"

  /// Returns the array or the object of a word that is JSON with variables, if one of their values has a handle, which
  /// has no text. Nil for other words: their variables are replaced by texts.
  func valueWithHandles(_ parts: [ShellLine.Part]) throws(Failure) -> PluginValue? {
    guard case .text(let first, _)? = parts.first, first.hasPrefix("[") || first.hasPrefix("{") else { return nil }
    var values: [PluginValue] = []
    var text = ""
    for part in parts {
      switch part {
      case .text(let literal, _): text += literal
      case .reference(let reference):
        text += "\"\\u0001\(values.count)\""
        values.append(try variable(reference).value)
      }
    }
    guard values.contains(where: \.holdsHandles), let json = try? JSONText(parsing: Array(text.utf8)),
      let value = try? PluginValue(untyped: json)
    else { return nil }
    return value.replacing { text in
      text.hasPrefix(Self.mark) ? Int(text.dropFirst()).flatMap { values.indices.contains($0) ? values[$0] : nil } : nil
    }
  }
}

extension PluginValue {
  /// Returns the value with other values in the place of texts.
  fileprivate func replacing(_ value: (String) -> PluginValue?) -> PluginValue {
    switch self {
    case .string(let text): value(text) ?? self
    case .array(let elements): .array(elements.map { $0.replacing(value) })
    case .object(let members): .object(members.map { PluginMember($0.name, $0.value.replacing(value)) })
    default: self
    }
  }
}
