/// The names of an integer parameter's values: `i32 enum {LOW = 0, HIGH = 1}`, `u32 flags {READ = 1, WRITE = 2}`.
public struct ConstantSet: Sendable, Hashable {
  /// A name and its value.
  public struct Constant: Sendable, Hashable {
    /// The name, unique in the set.
    public let name: String
    /// The value, in the range of the parameter's type.
    public let value: PluginValue

    /// Creates a constant.
    public init(name: String, value: PluginValue) { (self.name, self.value) = (name, value) }

    /// Hashes only the name: equal constants have equal names.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The integer type of the parameter.
  public let base: ValueType
  /// Whether an argument may combine several constants: `READ|WRITE`.
  public let areFlags: Bool
  /// The constants, in the order of the signature; at least one.
  public let constants: [Constant]
  /// Whether the constants are those of a whole adopted library, which no signature lists: see `Adoption.constants`.
  public internal(set) var areOfLibrary = false

  /// Hashes the number of constants, not each: there may be thousands.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(base)
    hasher.combine(constants.count)
  }

  /// The value of a constant; `nil` if there is none of that name.
  public subscript(name: some StringProtocol) -> PluginValue? {
    constants.first { $0.name == name }?.value
  }
}

extension ConstantSet {
  /// Converts text to a value: the name of a constant, a number, or several names of flags, with "|" between them or as
  /// a JSON array.
  ///
  /// - Throws: `ArgumentMismatch`.
  func value(fromText text: String) throws(ArgumentMismatch) -> PluginValue {
    if areFlags, text.first == "[", let json = try? JSONText(parsing: Array(text.utf8)) {
      return try value(fromJSON: json)
    }
    guard text.contains("|") || Self.isName(text) else {
      guard let value = try? base.value(fromText: text) else { throw mismatch(PluginValue.string(text).json) }
      return value
    }
    let names = text.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmed }
    guard areFlags || names.count == 1 else {
      throw ArgumentMismatch(message: "is \(PluginValue.string(text).json), expected one of \(list)")
    }
    var values: [PluginValue] = []
    for name in names { values.append(try value(named: name)) }
    return try union(values)
  }

  /// Converts JSON to a value: a number, a name, or an array of the names of flags.
  ///
  /// - Throws: `ArgumentMismatch`.
  func value(fromJSON json: JSONText) throws(ArgumentMismatch) -> PluginValue {
    switch json {
    case .string(let text):
      guard text.contains("|") || Self.isName(text) else { throw mismatch(json.name) }
      return try value(fromText: text)
    case .array(let elements) where areFlags:
      var values: [PluginValue] = []
      for element in elements { values.append(try value(fromJSON: element)) }
      return try union(values)
    default: return try base.value(fromJSON: json)
    }
  }

  /// Converts a value that names constants; other values are unchanged.
  ///
  /// - Throws: `ArgumentMismatch`.
  func value(from value: PluginValue) throws(ArgumentMismatch) -> PluginValue {
    switch value {
    case .string(let text): return try self.value(fromJSON: .string(text))
    case .array(let elements) where areFlags:
      var values: [PluginValue] = []
      for element in elements {
        if case .string = element {
          values.append(try self.value(from: element))
        } else {
          values.append(try base.value(fromText: element.json))
        }
      }
      return try union(values)
    default: return value
    }
  }

  /// The names for display, "LOW, HIGH"; the first ones of many.
  var list: String {
    let names = constants.prefix(12).map(\.name).joined(separator: ", ")
    return constants.count > 12 ? "\(names), ... (\(constants.count) names)" : names
  }

  /// The description of the arguments in errors.
  var expectation: String {
    "\(base.expectation), \(areFlags ? "or names with | between them" : "or one") of \(list)"
  }

  private func value(named name: Substring) throws(ArgumentMismatch) -> PluginValue {
    if let value = self[name] { return value }
    if Self.isName(name) || name.isEmpty { throw mismatch(named: String(name)) }
    return try base.value(fromText: String(name))
  }

  private func mismatch(named name: String) -> ArgumentMismatch {
    let hint = Suggestion.near(name, among: constants.map(\.name))
    return ArgumentMismatch(message: mismatch(PluginValue.string(name).json).message + hint)
  }

  private func mismatch(_ found: String) -> ArgumentMismatch {
    ArgumentMismatch(message: "is \(found), expected \(expectation)")
  }

  private static func isName(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.first.map { $0 == "_" || $0.properties.isAlphabetic } ?? false
  }

  private func union(_ values: [PluginValue]) throws(ArgumentMismatch) -> PluginValue {
    guard let first = values.first else { return try base.value(fromText: "0") }
    return values.dropFirst().reduce(first) { union, value in
      switch (union, value) {
      case (.int(let left), .int(let right)): .int(left | right)
      case (.uint(let left), .uint(let right)): .uint(left | right)
      default: union
      }
    }
  }
}

extension ConstantSet: CustomStringConvertible {
  /// The type with its names, as written in a signature: "i32 enum {LOW = 0, HIGH = 1}". For a library's constants, the
  /// type alone.
  public var description: String {
    if areOfLibrary { return "\(base)" }
    let list = constants.map { "\($0.name) = \($0.value.json)" }.joined(separator: ", ")
    return "\(base) \(areFlags ? "flags" : "enum") {\(list)}"
  }
}

extension Parameter {
  /// The type of the argument, with the names of its values; otherwise the type of the value.
  public var argumentType: ValueType { constants.map { .constant($0) } ?? type }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " }
    return start.lastIndex { $0 != " " }.map { start[...$0] } ?? ""
  }
}
