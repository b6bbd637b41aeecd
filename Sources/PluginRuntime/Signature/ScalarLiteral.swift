/// Scalar literals of signatures: JSON numbers, true and false.
enum ScalarLiteral {
  /// Returns the value of the text as a scalar type; `nil` if it is malformed or out of the type's range.
  static func value(_ text: String, as type: ValueType) -> PluginValue? {
    switch type {
    case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
    case .f32, .f64: isNumber(text) ? Double(text).flatMap { fits($0, type) ? .double($0) : nil } : nil
    default: isNumber(text) ? integer(text, as: type) : nil
    }
  }

  /// Returns the value of an integer literal.
  static func integer(_ text: String, as type: ValueType) -> PluginValue? {
    if let range = type.signedRange { return Int64(text).flatMap { range.contains($0) ? .int($0) : nil } }
    if let range = type.unsignedRange { return UInt64(text).flatMap { range.contains($0) ? .uint($0) : nil } }
    return nil
  }

  /// Whether a float type can hold the number, with its own precision.
  static func fits(_ number: Double, _ type: ValueType) -> Bool {
    number.isFinite && (type == .f64 || Float(number).isFinite)
  }

  /// Whether a float type represents the integer in the text exactly.
  static func isExact(_ digits: String, _ type: ValueType) -> Bool {
    guard let number = Int128(digits) else {
      // Beyond 128 bits: accepted if the number is finite.
      return Double(digits)?.isFinite ?? false
    }
    return type == .f32 ? Float(exactly: number) != nil : Double(exactly: number) != nil
  }

  /// The description of the type's literals in errors: "an integer from 0 to 255".
  static func expectation(_ type: ValueType) -> String {
    if let range = type.signedRange { return "an integer from \(range.lowerBound) to \(range.upperBound)" }
    if let range = type.unsignedRange { return "an integer from \(range.lowerBound) to \(range.upperBound)" }
    return type == .bool ? "true or false" : "a number that an \(type) can hold"
  }

  /// Whether the text is a number in JSON's grammar.
  static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text)
    if rest.first == "-" { rest.removeFirst() }
    let whole = digits(&rest)
    guard !whole.isEmpty, whole.count == 1 || whole.first != "0" else { return false }
    if rest.first == "." {
      rest.removeFirst()
      if digits(&rest).isEmpty { return false }
    }
    if rest.first == "e" || rest.first == "E" {
      rest.removeFirst()
      if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
      if digits(&rest).isEmpty { return false }
    }
    return rest.isEmpty
  }

  private static func digits(_ rest: inout Substring) -> Substring {
    let digits = rest.prefix { "0"..."9" ~= $0 }
    rest = rest.dropFirst(digits.count)
    return digits
  }
}
