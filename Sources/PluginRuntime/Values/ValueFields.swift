/// The members of an object from another process or file, read by name and checked. Other members are ignored. Errors
/// carry the path of the member.
struct ValueFields {
  private let members: [String: PluginValue]
  /// All members, in their order.
  let all: [PluginMember]

  init(_ value: PluginValue) throws(ArgumentMismatch) {
    guard case .object(let members) = value else {
      throw ArgumentMismatch(message: "is \(value.name), expected an object")
    }
    all = members
    self.members = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Returns the text of a member, which must be present.
  func text(_ name: String) throws(ArgumentMismatch) -> String {
    guard let text = try optionalText(name) else { throw Self.missing(name, "text") }
    return text
  }

  /// Returns the text of a member; `nil` if the member is absent or void.
  func optionalText(_ name: String) throws(ArgumentMismatch) -> String? {
    switch members[name] {
    case nil, .void?: return nil
    case .string(let text)?: return text
    case let other?: throw Self.mismatch(name, other, "text")
    }
  }

  /// Returns a number of 32 bits; the member must be present.
  func number(_ name: String) throws(ArgumentMismatch) -> UInt32 {
    let number: UInt32?
    switch members[name] {
    case nil, .void?: throw Self.missing(name, "an integer")
    case .int(let value)?: number = UInt32(exactly: value)
    case .uint(let value)?: number = UInt32(exactly: value)
    default: number = nil
    }
    if let number { return number }
    throw Self.mismatch(name, members[name] ?? .void, "an integer from 0 to \(UInt32.max)")
  }

  /// Returns a nested object; `nil` if the member is absent or void.
  func optionalFields(_ name: String) throws(ArgumentMismatch) -> ValueFields? {
    guard let value = members[name], value != .void else { return nil }
    return try converting(name) { () throws(ArgumentMismatch) in try ValueFields(value) }
  }

  /// Returns the converted elements of an array, at most `limit`; the member must be present. An error names the
  /// element.
  func elements<T>(
    _ name: String, limit: Int, _ convert: (PluginValue) throws(ArgumentMismatch) -> T
  ) throws(ArgumentMismatch) -> [T] {
    guard let value = members[name] else { throw Self.missing(name, "an array") }
    guard case .array(let elements) = value, elements.count <= limit else {
      throw Self.mismatch(name, value, "an array of at most \(limit) elements")
    }
    var converted: [T] = []
    converted.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      converted.append(
        try converting("\(name)[\(index)]") { () throws(ArgumentMismatch) in try convert(element) })
    }
    return converted
  }

  /// Returns the error of a member with a wrong value.
  static func mismatch(_ name: String, _ value: PluginValue, _ expected: String) -> ArgumentMismatch {
    ArgumentMismatch(path: name, message: "is \(value.name), expected \(expected)")
  }

  private static func missing(_ name: String, _ expected: String) -> ArgumentMismatch {
    ArgumentMismatch(path: name, message: "is missing, expected \(expected)")
  }
}
