@testable import PluginRuntime

/// The statements of a C function that compares its arguments with literals, and makes values of literals. Nothing
/// here knows how the host puts values into memory.
struct CBody {
  private(set) var lines: [String] = []
  private var count = 0

  mutating func line(_ text: String) { lines.append("  " + text) }

  /// Adds statements that compare an expression with a value.
  mutating func check(_ expression: String, _ type: ValueType, _ value: PluginValue) {
    switch (type, value) {
    case (.optional, .void):
      line("CHECK(\(expression)\(type.isSpan ? ".data" : "") == NULL);")
    case (.optional(let wrapped), _):
      line("CHECK(\(expression)\(type.isSpan ? ".data" : "") != NULL);")
      line("if (\(expression)\(type.isSpan ? ".data" : "") != NULL) {")
      check(wrapped.isScalar ? "(*\(expression))" : expression, wrapped, value)
      line("}")
    case (.structure(let type), .object(let members)):
      for (field, member) in zip(type.fields, members) {
        check("\(expression).\(field.name)", field.type, member.value)
      }
    case (.union, .void): line("CHECK(zeros(&\(expression), sizeof \(expression)));")
    case (.union(let union), .object(let members)):
      for member in members { check("\(expression).\(member.name)", union.type(of: member), member.value) }
    case (.reference(let target), _): check("(*\(expression))", target, value)
    case (.array(let element, _), .array(let values)): check(expression, element, values)
    case (.slice(let element), .array(let values)):
      line("CHECK(\(expression).length == \(values.count));")
      line("if (\(expression).length == \(values.count)) {")
      check("\(expression).data", element, values)
      line("}")
    case (.own(let wrapped, _), _):
      check(expression, wrapped, value)
      line("host->deallocate(host, (void *)\(expression)\(wrapped.isSpan ? ".data" : ""));")
    case (.cstr, .string(let text)):
      line("CHECK(same(\(expression), strlen(\(expression)), \(Self.literal(Array(text.utf8)))));")
    case (.inlineText, .string(let text)):
      let length = "strnlen(\(expression), sizeof \(expression))"
      line("CHECK(same(\(expression), \(length), \(Self.literal(Array(text.utf8)))));")
    case (_, .string(let text)):
      line("CHECK(same(\(expression).data, \(expression).length, \(Self.literal(Array(text.utf8)))));")
    case (_, .bytes(let bytes)):
      line("CHECK(same(\(expression).data, \(expression).length, \(Self.literal(bytes))));")
    case (_, .double(let number)):
      line(
        type == .f32
          ? "CHECK(bits32(\(expression)) == UINT32_C(\(Float(number).bitPattern)));"
          : "CHECK(bits64(\(expression)) == UINT64_C(\(number.bitPattern)));")
    case (_, .pointer(let pointer)): line("CHECK((uintptr_t)\(expression) == UINT64_C(\(pointer.address)));")
    default: line("CHECK(\(expression) == \(Self.scalar(type, value)));")
    }
  }

  /// Adds statements that compare consecutive elements.
  mutating func check(_ expression: String, _ element: ValueType, _ values: [PluginValue]) {
    for (index, value) in values.enumerated() { check("\(expression)[\(index)]", element, value) }
  }

  /// Adds statements that store a value in a place.
  mutating func fill(_ place: String, _ type: ValueType, _ value: PluginValue) {
    switch (type, value) {
    case (.optional, .void):
      line(type.isSpan ? "\(place).data = NULL, \(place).length = 0;" : "\(place) = NULL;")
    case (.optional(let wrapped), _) where wrapped.isScalar:
      let name = keep(place, 1)
      line("*\(name) = \(Self.scalar(wrapped, value));")
      line("\(place) = \(name);")
    case (.optional(let wrapped), _): fill(place, wrapped, value)
    case (.structure(let type), .object(let members)):
      for (field, member) in zip(type.fields, members) { fill("\(place).\(field.name)", field.type, member.value) }
    case (.union, .void): line("memset(&\(place), 0xA5, sizeof \(place));")
    case (.union(let union), .object(let members)):
      for member in members { fill("\(place).\(member.name)", union.type(of: member), member.value) }
    case (.reference(let target), _):
      let name = keep(place, 1)
      fill("(*\(name))", target, value)
      line("\(place) = \(name);")
    case (.array(let element, _), .array(let values)): fill(place, element, values)
    case (.slice(let element), .array(let values)):
      line("\(place).length = \(values.count);")
      guard !values.isEmpty else { return line("\(place).data = NULL;") }
      let name = keep("\(place).data", values.count)
      fill(name, element, values)
      line("\(place).data = \(name);")
    case (.own(.cstr, .some), .string(let text)): line("\(place) = strdup(\(Self.literal(Array(text.utf8)).text));")
    case (.own(.cstr, nil), .string(let text)):
      line("\(place) = give(\(Self.literal(Array((text + "\0").utf8))));")
    case (.own(.pointer, _), .pointer(let pointer)):
      line("\(place) = make((uintptr_t)UINT64_C(\(pointer.address)));")
    case (.own, .string(let text)): give(place, Array(text.utf8))
    case (.own, .bytes(let bytes)): give(place, bytes)
    case (.cstr, .string(let text)): line("\(place) = \(Self.literal(Array(text.utf8)).text);")
    case (.inlineText, .string(let text)):
      // The host does not read behind the NUL.
      let literal = Self.literal(Array(text.utf8))
      line("memset(\(place), 0xA5, sizeof \(place)); memcpy(\(place), \(literal.text), \(literal.count + 1));")
    case (_, .string(let text)): span(place, Array(text.utf8))
    case (_, .bytes(let bytes)): span(place, bytes)
    case (_, .pointer(let pointer)): line("\(place) = (void *)(uintptr_t)UINT64_C(\(pointer.address));")
    default: line("\(place) = \(Self.scalar(type, value));")
    }
  }

  /// Adds statements that store values in consecutive places.
  mutating func fill(_ place: String, _ element: ValueType, _ values: [PluginValue]) {
    for (index, value) in values.enumerated() { fill("\(place)[\(index)]", element, value) }
  }

  /// Declares zeroed memory for a pointer's target and returns its name.
  private mutating func keep(_ pointer: String, _ elements: Int) -> String {
    count += 1
    line("UNQUALIFIED(*\(pointer)) *kept\(count) = calloc(\(elements), sizeof *kept\(count));")
    return "kept\(count)"
  }

  private mutating func give(_ place: String, _ bytes: [UInt8]) {
    line("\(place).data = give(\(Self.literal(bytes))), \(place).length = \(bytes.count);")
  }

  private mutating func span(_ place: String, _ bytes: [UInt8]) {
    line("\(place).data = (const void *)\(Self.literal(bytes).text), \(place).length = \(bytes.count);")
  }

  struct Literal: CustomStringConvertible {
    let text: String
    let count: Int
    var description: String { "\(text), \(count)" }
  }

  /// Returns bytes as a string of C and their count: two arguments of a function.
  private static func literal(_ bytes: [UInt8]) -> Literal {
    let digits = bytes.map { byte in
      let octal = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
    }
    return Literal(text: "\"\(digits.joined())\"", count: bytes.count)
  }

  static func scalar(_ type: ValueType, _ value: PluginValue) -> String {
    switch value {
    case .bool(let value): value ? "true" : "false"
    // The most negative number has no literal in C.
    case .int(.min): "(-INT64_C(9223372036854775807) - 1)"
    case .int(let number): "INT64_C(\(number))"
    case .uint(let number): "UINT64_C(\(number))"
    case .double(let number) where type == .f32: "float_of(UINT32_C(\(Float(number).bitPattern)))"
    case .double(let number): "double_of(UINT64_C(\(number.bitPattern)))"
    default: "0"
    }
  }
}

extension UnionType {
  fileprivate func type(of member: PluginMember) -> ValueType {
    members.first { $0.name == member.name }?.type ?? .bool
  }
}
