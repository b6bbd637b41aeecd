extension PluginValue {
  /// The value as one line of JSON: integers exact, bytes in base64, `null` for void, and "NaN", "Infinity" and
  /// "-Infinity" as strings, since JSON has no numbers for them.
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
    }
  }

  /// The string as JSON writes it.
  private static func quoted(_ string: String) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(string.utf8.count + 2)
    output.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): output += "\\n".utf8
      case UInt8(ascii: "\r"): output += "\\r".utf8
      case UInt8(ascii: "\t"): output += "\\t".utf8
      // DEL is no control character to JSON, but it is to a terminal.
      case 0..<0x20, 0x7F: output += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
    return String(decoding: output, as: UTF8.self)
  }
}
