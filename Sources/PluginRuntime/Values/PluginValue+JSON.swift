extension PluginValue {
  /// The value as one line of JSON. Integers are exact, bytes are base64, addresses are "0x...", open files "fd:...",
  /// void is `null`. "NaN", "Infinity" and "-Infinity" are strings, because JSON has no such numbers.
  public var json: String {
    switch self {
    case .void: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let number): String(number)
    case .uint(let number): String(number)
    case .double(let number):
      number.isNaN ? "\"NaN\"" : number.isInfinite ? (number < 0 ? "\"-Infinity\"" : "\"Infinity\"") : String(number)
    case .string(let string): Self.quoted(string)
    case .bytes(let bytes): "\"\(Base64.encode(bytes))\""
    case .pointer(let pointer): "\"0x\(String(pointer.address, radix: 16))\""
    case .file(let file): "\"fd:\(file.descriptor)\""
    case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.name)):\($0.value.json)" }.joined(separator: ",") + "}"
    }
  }

  /// Quotes a string as JSON.
  private static func quoted(_ string: String) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(string.utf8.count + 2)
    output.append(UInt8(ascii: "\""))
    for scalar in string.unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5C: output += [UInt8(ascii: "\\"), UInt8(scalar.value)]
      case 0x0A: output += "\\n".utf8
      case 0x0D: output += "\\r".utf8
      case 0x09: output += "\\t".utf8
      // JSON does not require escapes for DEL, C1 and the Unicode line separators, but terminals and editors interpret
      // them.
      case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
        let digits = String(scalar.value, radix: 16)
        output += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
      case 0x20..<0x7F: output.append(UInt8(scalar.value))
      default: output += UTF8.encode(scalar).unsafelyUnwrapped
      }
    }
    output.append(UInt8(ascii: "\""))
    return String(decoding: output, as: UTF8.self)
  }
}
