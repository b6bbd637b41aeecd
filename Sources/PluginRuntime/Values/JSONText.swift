/// Parsed JSON without types: numbers keep their digits, so that a type converts them exactly or not at all.
public indirect enum JSONText: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONText])
  case object([(name: String, value: JSONText)])

  /// Parses a complete JSON text in UTF-8.
  ///
  /// - Throws: `JSONError` with the offset of the first mistake.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    self = try JSONText(&scanner)
    if scanner.next != nil { throw scanner.error("the end of the text") }
  }

  /// The value of an object's member; `nil` without such a member, and for other values than objects.
  public subscript(member: String) -> JSONText? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == member }?.value
  }

  /// Returns true if both have the same content, in the same order and with the same digits.
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

  /// The description of the value in errors.
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

/// The error of malformed JSON.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The offset of the mistake, in bytes.
  public let offset: Int
  /// The text found there.
  public let found: String
  /// The text expected there.
  public let expected: String

  /// The error in words.
  public var description: String { "at byte \(offset): found \(found), expected \(expected)" }
}
