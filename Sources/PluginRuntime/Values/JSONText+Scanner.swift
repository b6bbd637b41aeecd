extension JSONText {
  /// The maximum nesting depth of values, larger than that of any signature.
  private static var nesting: Int { PluginValue.maximumDepth }

  /// Reads one value. Names must be unique in their object.
  init(_ scanner: inout JSONScanner, depth: Int = 0) throws(JSONError) {
    guard depth < Self.nesting else { throw scanner.error("values nested at most \(Self.nesting) deep") }
    switch scanner.next {
    case UInt8(ascii: "{"): self = .object(try Self.members(&scanner, depth + 1))
    case UInt8(ascii: "["): self = .array(try Self.elements(&scanner, depth + 1))
    case UInt8(ascii: "\""): self = .string(try scanner.string())
    case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: self = .number(try scanner.number())
    case UInt8(ascii: "t") where scanner.take(word: "true"): self = .bool(true)
    case UInt8(ascii: "f") where scanner.take(word: "false"): self = .bool(false)
    case UInt8(ascii: "n") where scanner.take(word: "null"): self = .null
    default: throw scanner.error("a JSON value")
    }
  }

  private static func elements(_ scanner: inout JSONScanner, _ depth: Int) throws(JSONError) -> [JSONText] {
    var array = try scanner.beginArray()
    var elements: [JSONText] = []
    while try scanner.element(&array) { elements.append(try JSONText(&scanner, depth: depth)) }
    return elements
  }

  private static func members(
    _ scanner: inout JSONScanner, _ depth: Int
  ) throws(JSONError) -> [(name: String, value: JSONText)] {
    var object = try scanner.beginObject()
    var members: [(name: String, value: JSONText)] = []
    var names: Set<String> = []
    while let (name, offset) = try scanner.member(&object) {
      guard names.insert(name).inserted else {
        throw JSONError(offset: offset, found: "a second \(PluginValue.string(name).json)", expected: "another name")
      }
      members.append((name, try JSONText(&scanner, depth: depth)))
    }
    return members
  }
}
