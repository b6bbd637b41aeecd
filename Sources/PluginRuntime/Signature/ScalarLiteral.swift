/// Scalars as a signature writes them: numbers of JSON, true and false.
enum ScalarLiteral {
  /// The value that the text means for a scalar type; `nil` if it is none, or one that the type does not hold.
  static func value(_ text: String, as type: ValueType) -> PluginValue? {
    switch type {
    case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
    case .f32, .f64: isNumber(text) ? Double(text).flatMap { fits($0, type) ? .double($0) : nil } : nil
    default: isNumber(text) ? integer(text, as: type) : nil
    }
  }

  /// The integer that decimal digits mean.
  static func integer(_ text: String, as type: ValueType) -> PluginValue? {
    if let range = type.signedRange { return Int64(text).flatMap { range.contains($0) ? .int($0) : nil } }
    if let range = type.unsignedRange { return UInt64(text).flatMap { range.contains($0) ? .uint($0) : nil } }
    return nil
  }

  /// Whether a float type holds the number, give or take its precision.
  static func fits(_ number: Double, _ type: ValueType) -> Bool {
    number.isFinite && (type == .f64 || Float(number).isFinite)
  }

  /// Whether a float type has the integer that the digits mean, and not only a neighbour of it.
  static func isExact(_ digits: String, _ type: ValueType) -> Bool {
    guard let number = Int128(digits) else {
      // Nobody writes so many digits for one number and no other.
      return Double(digits)?.isFinite ?? false
    }
    return type == .f32 ? Float(exactly: number) != nil : Double(exactly: number) != nil
  }

  /// What a literal of the type looks like: "an integer from 0 to 255".
  static func expectation(_ type: ValueType) -> String {
    if let range = type.signedRange { return "an integer from \(range.lowerBound) to \(range.upperBound)" }
    if let range = type.unsignedRange { return "an integer from \(range.lowerBound) to \(range.upperBound)" }
    return type == .bool ? "true or false" : "a number that an \(type) can hold"
  }

  /// Whether the text is a number by JSON's grammar.
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
