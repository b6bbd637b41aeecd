import PluginRuntime

extension PipelinePlan.Call {
  /// Makes the arguments of the function. Reads files, so it may block. Callbacks call functions of `host`, or publish
  /// events to `stream`.
  func values(_ results: StepResults, host: Host, stream: EventStream?) throws -> [Argument] {
    try arguments.map { parameter, input in
      let content: Argument.Content =
        switch (input, stream) {
        case (.callback(let callback), _): .callback(try callback.bound(results).callback(in: { host }))
        case (.outlet(let outlet), let stream?): .callback(stream.callback(outlet))
        default: try parameter.naming { try input.content(for: parameter.argumentType, results) }
        }
      return Argument(name: parameter.name, content)
    }
  }
}

extension PipelinePlan.Callback {
  /// Returns the callback with the results of steps in place of their names.
  fileprivate func bound(_ results: StepResults) throws -> CallbackTarget {
    try target.replacing { operand in
      switch operand {
      case .variable("item") where results[PipelinePlan.StepResult.item] != nil:
        try results.operand(.init(step: PipelinePlan.StepResult.item))
      case .variable("index"): results[PipelinePlan.StepResult.index]
      case .result(let reference):
        try steps[reference.step].map { try results.operand(.init(step: $0, path: reference.path)) } ?? .void
      default: nil
      }
    }
  }
}

extension PipelinePlan.Input {
  /// Returns the elements of a list. A text is read as JSON.
  func elements(_ results: StepResults) throws -> [PipelinePlan.Element] {
    if case .list(let elements, let type) = self {
      return try elements.map {
        .init(value: try $0.value(of: type, results), shape: $0.shape(results), written: try $0.written(results))
      }
    }
    var list = try value(of: .value, results)
    if case .string(let text) = list, let json = try? JSONText(parsing: Array(text.utf8)) {
      list = try PluginValue(readable: json)
    }
    let shape = shape(results).element
    if case .array(let elements) = list { return elements.map { .init(value: $0, shape: shape) } }
    throw MissingPart("\"each\" is \(list.kindText), expected a list")
  }

  /// Returns the type of the result that the input is.
  private func shape(_ results: StepResults) -> ResultShape {
    switch self {
    case .result(let result): return results.shape(of: result)
    case .composed(let parts):
      guard case .result(let result, _) = parts.first, parts.count == 1 else { return .any }
      return results.shape(of: result)
    default: return .any
    }
  }

  /// Returns the value with each scalar without quotes as its text. A result or a file in it is `computed`, unless it
  /// is a text.
  private func written(_ results: StepResults) throws -> PluginValue {
    switch self {
    case .plain(let text, _): .string(text)
    case .list(let elements, _): .array(try elements.map { try $0.written(results) })
    case .object(let members): .object(try members.map { PluginMember($0.name, try $0.input.written(results)) })
    case .value(let value): value
    default:
      if case .string(let text) = try value(of: .value, results) { .string(text) } else { Self.computed }
    }
  }

  /// Stands for a value that the file does not contain.
  private static let computed = PluginValue.bytes([])

  /// Makes the argument for a parameter of that type.
  func content(for type: ValueType, _ results: StepResults) throws -> Argument.Content {
    switch self {
    case .text(let text): return .text(text)
    case .standardInput: return try ArgumentText.standardInput.content(for: type)
    case .value(let value), .plain(_, let value): return .value(value)
    case .result(let result):
      return try Self.checkingSecrets(in: Self.content(try results.value(of: result), for: type), for: type)
    case .composed(let parts):
      var content = Argument.Content.value(.void)
      if case .result(let result, _) = parts.first, parts.count == 1 {
        content = try Self.convertible(result, results, to: type)
      } else {
        let text = try Self.text(parts, results)
        content = type.content == .value ? .value(.string(text)) : .text(text)
      }
      return try Self.checkingSecrets(in: content, for: type)
    case .file(let parts):
      let path = try Self.text(parts, results)
      // A path that has the element or its index in it is another one in each call.
      return try results.content(ofFile: path, for: type, isShared: self.results.allSatisfy { $0.step >= 0 })
    case .list, .object: return .value(try value(of: type, results))
    case .callback(let callback): throw MissingPart("the callback \(callback.target.parameter) is not a value")
    case .outlet(let outlet): throw MissingPart("the callback \(outlet.parameter) is not a value")
    }
  }

  /// Rejects a text with a secret in it that does not suit the type: the message of the call would quote a part of it.
  private static func checkingSecrets(
    in content: Argument.Content, for type: ValueType
  ) throws(MissingPart) -> Argument.Content {
    switch content {
    case _ where type.content == .value: break
    case .text(let text), .value(.string(let text)):
      if Redaction.isNeeded(in: text), (try? type.value(fromText: text)) == nil {
        throw MissingPart("a text with a secret in it, expected \(type.expectation)")
      }
    default: break
    }
    return content
  }

  /// Makes a value in a list or a mapping.
  func value(of type: ValueType, _ results: StepResults) throws -> PluginValue {
    switch self {
    case .list(let elements, let element):
      return .array(
        try elements.enumerated().map { index, input in
          try Self.converting("[\(index)]") { try input.value(of: element, results) }
        })
    case .object(let members):
      return .object(
        try members.map { member in
          try Self.converting(".\(member.name)") {
            PluginMember(member.name, try member.input.value(of: member.type, results))
          }
        })
    case .text, .standardInput, .value, .plain, .result, .composed, .file, .callback, .outlet:
      switch try content(for: type, results) {
      case .value(let value): return value
      case .text(let text): return type.content == .value ? .string(text) : try type.value(fromText: text)
      case .contents(let bytes): return type.content == .value ? .bytes(bytes) : try type.value(fromContents: bytes)
      case .json, .shared, .promise, .callback: return .void
      }
    }
  }

  /// Converts one part of a value, and adds the part to the path of a mismatch.
  private static func converting<T>(_ part: String, _ convert: () throws -> T) throws -> T {
    do {
      return try convert()
    } catch let mismatch as ArgumentMismatch {
      throw mismatch.within(part)
    }
  }

  private static func text(_ parts: [PipelinePlan.TextPart], _ results: StepResults) throws -> String {
    try parts.map { part in
      switch part {
      case .text(let text): return text
      case .result(let result, let source):
        do {
          if case .string(let text)? = results.written(of: result) { return text }
          return try results.operand(result).text
        } catch {
          throw MissingPart("\(source): \(error)")
        }
      }
    }.joined()
  }

  /// Makes an argument of a result that is the whole text: unchanged for a parameter that takes no text, otherwise as
  /// text. An element that was written in the file is read by the parameter's type, as if it stood there: null, a list
  /// and a mapping are not texts.
  private static func convertible(
    _ result: PipelinePlan.StepResult, _ results: StepResults, to type: ValueType
  ) throws -> Argument.Content {
    let value = try results.value(of: result)
    let written = results.written(of: result)
    switch (written, ArgumentKind(type)) {
    case (.string(let text), let kind) where kind != .any && (kind.isText || type.isForm(text)): return .text(text)
    case (.string, _): break
    case (let written?, _) where written != computed: return .value(typed(value, written, as: type))
    default: break
    }
    return switch (value, ArgumentKind(type)) {
    case (.string(let text), let kind) where !kind.isText: .text(text)
    case (.string, _), (.bytes, _): content(value, for: type)
    case (_, .string), (_, .bytes): .text(try results.operand(result).text)
    default: .value(value)
    }
  }

  /// Returns the value whose scalars without quotes are read by the types of their places. `written` has their texts.
  /// If a text does not suit its type, the value stays: the call reports the mistake by its place, without the text.
  private static func typed(_ value: PluginValue, _ written: PluginValue, as type: ValueType) -> PluginValue {
    switch (value, written) {
    case (.array(let values), .array(let texts)):
      guard let element = type.listElement else { return value }
      return .array(zip(values, texts).map { typed($0, $1, as: element) })
    case (.object(let members), .object(let texts)):
      let fields = type.fieldTypes ?? []
      return .object(
        zip(members, texts).map { member, text in
          let field = fields.first { $0.name == member.name }?.type ?? .value
          return PluginMember(member.name, typed(member.value, text.value, as: field))
        })
    case (_, .string(let text)) where type.content != .value: return (try? type.value(fromText: text)) ?? value
    default: return value
    }
  }

  private static func content(_ value: PluginValue, for type: ValueType) -> Argument.Content {
    // Bytes that are UTF-8 become a text, like the content of a file.
    if case .bytes(let bytes) = value, ArgumentKind(type) == .string { return .contents(bytes) }
    return .value(value)
  }
}

extension ValueType {
  /// Whether a text is a value of the type.
  fileprivate func isForm(_ text: String) -> Bool { (try? value(fromText: text)) != nil }
}

extension Parameter {
  /// Runs `convert` and returns its result. A mismatch becomes the failure of a call with a wrong argument.
  fileprivate func naming(_ convert: () throws -> Argument.Content) throws -> Argument.Content {
    do {
      return try convert()
    } catch let mismatch as ArgumentMismatch {
      throw CallFailure.wrongArguments(message: "argument '\(name)\(mismatch.path)' \(mismatch.message)")
    } catch let error as UnreadableInput {
      throw error.naming(self)
    }
  }
}
