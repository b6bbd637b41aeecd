extension PluginValue {
  /// The size of the value in bytes, without names and types: texts and bytes by their lengths, other values by 8 each.
  var size: Int {
    switch self {
    case .void: 0
    case .bool, .int, .uint, .double, .pointer, .file: 8
    case .string(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    case .array(let elements): elements.reduce(0) { $0 + $1.size }
    case .object(let members): members.reduce(0) { $0 + $1.value.size }
    }
  }

  /// Whether the value has no parts, and fewer bytes than a result that a worker keeps.
  var isShort: Bool {
    switch self {
    case .array, .object: false
    default: size < Frame.leastKept
    }
  }
}
