/// A JSON text to be written. Members of an object keep their order.
enum JSON {
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([(name: String, value: JSON)])

  /// The text, on one line.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .uint(let value): text += String(value)
    case .double(let value): text += Self.number(value)
    case .string(let value): Self.quote(value, to: &text)
    case .array(let elements): Self.list(elements, "[", "]", to: &text) { $0.write(to: &$1) }
    case .object(let members):
      Self.list(members, "{", "}", to: &text) { member, text in
        Self.quote(member.name, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
    }
  }

  private static func list<Element>(
    _ elements: [Element], _ open: String, _ close: String, to text: inout String,
    _ write: (Element, inout String) -> Void
  ) {
    text += open
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      write(element, &text)
    }
    text += close
  }

  /// The shortest text that reads back as the same number. JSON has none for what is not finite: those are strings.
  private static func number(_ value: Double) -> String {
    if value.isNaN { return "\"NaN\"" }
    if value.isInfinite { return value < 0 ? "\"-Infinity\"" : "\"Infinity\"" }
    return value.description
  }

  private static func quote(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where needsEscape(scalar):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// Controls must be escaped in JSON; the line separators U+2028 and U+2029, DEL and the C1 controls are, so that the
  /// text is one line everywhere and does nothing to a terminal.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isControl || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}

extension JSON: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .string(value) }
}
