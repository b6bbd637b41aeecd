import PluginRuntime

/// The bytes by which the cache keeps a value: a tag, then its content; numbers are little-endian.
enum StoredValue {
  /// Nil for a value that has a meaning in this process only: an address, or one with an address in it.
  static func bytes(of value: PluginValue) -> [UInt8]? {
    var bytes: [UInt8] = []
    return append(value, to: &bytes) ? bytes : nil
  }

  /// Nil if these are not the bytes of a value.
  static func value(of bytes: [UInt8]) -> PluginValue? {
    var reader = Reader(rest: bytes[...])
    guard let value = reader.value(depth: 0), reader.rest.isEmpty else { return nil }
    return value
  }

  private static func append(_ value: PluginValue, to bytes: inout [UInt8]) -> Bool {
    switch value {
    case .void: bytes.append(0)
    case .bool(let value): bytes.append(value ? 2 : 1)
    case .int(let number): append(3, UInt64(bitPattern: number), to: &bytes)
    case .uint(let number): append(4, number, to: &bytes)
    case .double(let number): append(5, number.bitPattern, to: &bytes)
    case .string(let text): append(6, Array(text.utf8), to: &bytes)
    case .bytes(let content): append(7, content, to: &bytes)
    case .pointer: return false
    case .array(let elements):
      append(8, UInt64(elements.count), to: &bytes)
      for element in elements { guard append(element, to: &bytes) else { return false } }
    case .object(let members):
      append(9, UInt64(members.count), to: &bytes)
      for member in members {
        append(6, Array(member.name.utf8), to: &bytes)
        guard append(member.value, to: &bytes) else { return false }
      }
    }
    return true
  }

  private static func append(_ tag: UInt8, _ number: UInt64, to bytes: inout [UInt8]) {
    bytes.append(tag)
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ tag: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    append(tag, UInt64(content.count), to: &bytes)
    bytes += content
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func value(depth: Int) -> PluginValue? {
      guard depth < 200, let tag = rest.popFirst() else { return nil }
      switch tag {
      case 0: return .void
      case 1: return .bool(false)
      case 2: return .bool(true)
      case 3: return number().map { .int(Int64(bitPattern: $0)) }
      case 4: return number().map { .uint($0) }
      case 5: return number().map { .double(Double(bitPattern: $0)) }
      case 6: return content().flatMap { String(validating: $0, as: UTF8.self) }.map { .string($0) }
      case 7: return content().map { .bytes($0) }
      case 8: return elements(depth: depth).map { .array($0) }
      case 9: return members(depth: depth).map { .object($0) }
      default: return nil
      }
    }

    private mutating func number() -> UInt64? {
      guard rest.count >= 8 else { return nil }
      defer { rest = rest.dropFirst(8) }
      return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func content() -> [UInt8]? {
      guard let count = number(), count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(Int(count)) }
      return Array(rest.prefix(Int(count)))
    }

    private mutating func elements(depth: Int) -> [PluginValue]? {
      guard let count = number(), count <= rest.count else { return nil }
      var elements: [PluginValue] = []
      for _ in 0..<count {
        guard let element = value(depth: depth + 1) else { return nil }
        elements.append(element)
      }
      return elements
    }

    private mutating func members(depth: Int) -> [PluginMember]? {
      guard let count = number(), count <= rest.count else { return nil }
      var members: [PluginMember] = []
      for _ in 0..<count {
        guard case .string(let name)? = value(depth: depth + 1), let value = value(depth: depth + 1) else { return nil }
        members.append(PluginMember(name, value))
      }
      return members
    }
  }
}
