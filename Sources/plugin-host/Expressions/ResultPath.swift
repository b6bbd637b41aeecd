import PluginRuntime

/// A path from a step's result to a part of it: `rows[0].name`, or `rows.0.name`.
struct ResultPath: Equatable, Sendable {
  enum Part: Hashable, Sendable {
    /// A member of an object; digits are also an element of a list.
    case name(String)
    /// An element of a list, counted from 0, or from -1 backwards from its end.
    case index(Int)
  }

  /// The error for a text that is not a path.
  struct PathError: Error {
    var message: String
  }

  var parts: [Part] = []

  init(parts: [Part] = []) {
    self.parts = parts
  }

  /// Parses parts that are separated by dots, with indexes also in brackets. A leading dot is optional.
  init(parsing text: some StringProtocol) throws(PathError) {
    var rest = Substring(text)
    var isFirst = true
    while let first = rest.first {
      if first == "[" {
        let digits = rest.dropFirst().prefix { $0 != "]" }
        guard digits.endIndex < rest.endIndex, let index = Int(digits) else {
          let isTooLong = digits.count > 18 && digits.allSatisfy(\.isNumber)
          let problem = isTooLong ? "no list has so many elements" : "a number and \"]\" must follow \"[\""
          throw PathError(message: "\"\(text)\": \(problem)")
        }
        parts.append(.index(index))
        rest = rest[digits.endIndex...].dropFirst()
      } else {
        if first == "." { rest = rest.dropFirst() } else if !isFirst { throw Self.malformed(text) }
        let name = rest.prefix { $0 != "." && $0 != "[" && $0 != "]" }
        guard !name.isEmpty else { throw Self.malformed(text) }
        parts.append(.name(String(name)))
        rest = rest.dropFirst(name.count)
      }
      isFirst = false
    }
  }

  private static func malformed(_ text: some StringProtocol) -> PathError {
    PathError(message: "\"\(text)\" is not a path to a part of a result; write one such as rows[0].name")
  }

  /// Returns the part of `value` at the path. A text on the way is read as JSON.
  func part(of value: PluginValue) throws(MissingPart) -> PluginValue { try part(of: value, parsed: parsed) }

  /// Returns the part of `value` at the path. `parsed` reads a text as JSON, of which the part of that number is used.
  func part(
    of value: PluginValue, parsed: (_ text: String, _ number: Int) throws(MissingPart) -> PluginValue
  ) throws(MissingPart) -> PluginValue {
    var value = value
    for (number, part) in parts.enumerated() {
      if case .string(let text) = value { value = try parsed(text, number) }
      value = try step(part, into: value, number)
    }
    return value
  }

  private func step(_ part: Part, into value: PluginValue, _ number: Int) throws(MissingPart) -> PluginValue {
    switch (part, value) {
    case (.name(let name), .object(let members)):
      if let member = value[member: name] { return member }
      let names = members.map(\.name)
      let hint = Suggestion.near(name, among: names)
      let list = names.isEmpty ? "; it has none" : "; it has \(names.joined(separator: ", ").truncated(to: 200))"
      throw MissingPart("\(place(number)) has no member \"\(name)\"\(hint.isEmpty ? list : hint)")
    case (_, .array(let elements)):
      return elements[try index(part, count: elements.count, number)]
    case (_, .bytes(let bytes)):
      return .uint(UInt64(bytes[try index(part, count: bytes.count, number)]))
    default:
      throw MissingPart("\(place(number)) is \(value.kindText), which has no part \"\(Self.text(part))\"")
    }
  }

  private func index(_ part: Part, count: Int, _ number: Int) throws(MissingPart) -> Int {
    let given =
      switch part {
      case .name(let name): Int(name)
      case .index(let index): Optional(index)
      }
    guard let given else { throw MissingPart("\(place(number)) is a list, which has no member \"\(Self.text(part))\"") }
    let index = given < 0 ? given + count : given
    guard (0..<count).contains(index) else {
      throw MissingPart("\(place(number)) has \(count) element\(count == 1 ? "" : "s"), and none at \(given)")
    }
    return index
  }

  /// Reads a text as JSON, of which the part of that number is used.
  func parsed(_ text: String, _ number: Int) throws(MissingPart) -> PluginValue {
    let json: JSONText
    do {
      json = try JSONText(parsing: Array(text.utf8))
    } catch {
      throw MissingPart(
        "\(place(number)) is a text that is not JSON, so it has no part \"\(Self.text(parts[number]))\"")
    }
    do {
      return try PluginValue(readable: json)
    } catch {
      throw MissingPart("\(place(number)) is a text of JSON, in which \(error.path) \(error.message)")
    }
  }

  /// Names the part before that at index `number`, for a message.
  private func place(_ number: Int) -> String {
    number == 0 ? "the result" : "\"\(ResultPath(parts: Array(parts[..<number])))\" of the result"
  }

  private static func text(_ part: Part) -> String {
    switch part {
    case .name(let name): name
    case .index(let index): "[\(index)]"
    }
  }
}

extension ResultPath: CustomStringConvertible {
  var description: String {
    var text = ""
    for part in parts {
      if case .name = part, !text.isEmpty { text += "." }
      text += Self.text(part)
    }
    return text
  }
}

extension ResultPath {
  /// The path as written after a name: `.rows[0]`.
  var suffix: String {
    if case .name = parts.first { ".\(self)" } else { "\(self)" }
  }
}

/// The error for a result that lacks the part that another step uses.
struct MissingPart: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

extension PluginValue {
  /// Converts JSON whose parts are used. A number that no value holds, an integer beyond 64 bits or a number beyond an
  /// f64, becomes the text of its digits.
  init(readable json: JSONText) throws(ArgumentMismatch) { self = try PluginValue(untyped: json.readable) }

  /// The kind of value, for messages.
  var kindText: String {
    switch self {
    case .void: "null"
    case .bool, .int, .uint, .double: json
    case .string: "a text"
    case .bytes: "bytes"
    case .pointer: "an address"
    case .file: "an open file"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The value as a part of a text: texts and UTF-8 as they are, all else as JSON.
  var text: String {
    get throws(MissingPart) {
      switch self {
      case .string(let text): return text
      case .bytes(let bytes):
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw MissingPart("bytes that are not UTF-8 cannot be a part of a text; pass them alone")
      default: return json
      }
    }
  }
}

extension JSONText {
  /// The JSON with each integer beyond 64 bits and each number beyond an f64 replaced by the text of its digits.
  fileprivate var readable: JSONText {
    switch self {
    case .number(let digits): isHeld(digits) ? self : .string(digits)
    case .array(let elements): .array(elements.map(\.readable))
    case .object(let members): .object(members.map { ($0.name, $0.value.readable) })
    case .null, .bool, .string: self
    }
  }

  private func isHeld(_ digits: String) -> Bool {
    if Int64(digits) != nil || UInt64(digits) != nil { return true }
    return digits.contains { ".eE".contains($0) } && (try? PluginValue(untyped: self)) != nil
  }
}
