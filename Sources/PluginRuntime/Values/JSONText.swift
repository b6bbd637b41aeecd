/// A text of JSON, read but not yet typed: numbers are still the digits that were written, so that a type takes them
/// exactly or not at all.
public indirect enum JSONText: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONText])
  case object([(name: String, value: JSONText)])

  /// Reads a whole text, in UTF-8.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes)
    self = try reader.value()
    try reader.end()
  }

  /// The value of a member of an object; `nil` if there is none of that name, or this is no object.
  public subscript(member: String) -> JSONText? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == member }?.value
  }

  /// Whether both say the same, in the same order and the same digits.
  public static func == (left: JSONText, right: JSONText) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)), (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    default: false
    }
  }

  /// What an error message calls it.
  var name: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let digits): digits.count > 40 ? "\(digits.prefix(40))..." : digits
    case .string(let text): PluginValue.string(text.count > 40 ? "\(text.prefix(40))..." : text).json
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A mistake in a text that was to be JSON.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Where it is, in bytes from the beginning.
  public let offset: Int
  /// What stands there.
  public let found: String
  /// What should stand there.
  public let expected: String

  /// The mistake in words.
  public var description: String { "at byte \(offset): found \(found), expected \(expected)" }
}
