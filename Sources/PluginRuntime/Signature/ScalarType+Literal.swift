/// Scalar literals of signatures: JSON numbers, true and false.
extension ScalarType {
  /// Returns the value of the text; `nil` if it is malformed or out of the type's range.
  func value(ofLiteral text: String) -> PluginValue? {
    switch form {
    case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
    case .float: Self.isNumber(text) ? number(text).map { .double($0) } : nil
    case .signed, .unsigned: Self.isNumber(text) ? integer(text) : nil
    }
  }

  /// Returns the value of an integer literal.
  func integer(_ text: String) -> PluginValue? {
    if let range = signedRange { return Int64(text).flatMap { range.contains($0) ? .int($0) : nil } }
    if let range = unsignedRange { return UInt64(text).flatMap { range.contains($0) ? .uint($0) : nil } }
    return nil
  }

  /// Whether a float type can hold the number, with its own precision.
  func fits(_ number: Double) -> Bool { number.isFinite && (size > 4 || Float(number).isFinite) }

  /// Returns the number in the text; `nil` if the float type cannot hold it, or cannot hold an integer exactly.
  private func number(_ text: String) -> Double? { isExact(text) ? Double(text).flatMap { fits($0) ? $0 : nil } : nil }

  /// Whether a float type represents the integer in the text exactly; true for other texts.
  private func isExact(_ text: String) -> Bool {
    let magnitude = text[...].utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    let isHexadecimal = magnitude.starts(with: "0x".utf8) || magnitude.starts(with: "0X".utf8)
    let digits = Substring(magnitude.dropFirst(isHexadecimal ? 2 : 0))
    let isDigit = { (byte: UInt8) in
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || isHexadecimal && Character(Unicode.Scalar(byte)).isHexDigit
    }
    guard digits.utf8.allSatisfy(isDigit) else { return true }
    if let number = Int128(digits, radix: isHexadecimal ? 16 : 10) { return float(exactly: number) != nil }
    guard !isHexadecimal, let number = size == 4 ? Float(digits).map(Double.init) : Double(digits), number.isFinite
    else { return false }
    return Self.digits(ofInteger: number) == String(digits.drop { $0 == "0" })
  }

  /// Returns all decimal digits of a float of at least 2^53, which is an integer.
  private static func digits(ofInteger number: Double) -> String {
    // The least digit is the first.
    var digits = String(UInt64(number.significand * 0x1p52)).utf8.reversed().map { $0 - UInt8(ascii: "0") }
    for _ in 52..<max(52, Int(number.exponent)) {
      var carry: UInt8 = 0
      for index in digits.indices {
        let twice = 2 * digits[index] + carry
        (digits[index], carry) = (twice % 10, twice / 10)
      }
      if carry > 0 { digits.append(carry) }
    }
    return String(decoding: digits.reversed().map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
  }

  /// Returns the number as a float type represents it; `nil` if that is another number.
  private func float<T: FixedWidthInteger>(exactly number: T) -> Double? {
    size == 4 ? Float(exactly: number).map(Double.init) : Double(exactly: number)
  }

  /// Converts a value to the type without loss; `nil` if it does not fit.
  func suiting(_ value: PluginValue) -> PluginValue? {
    switch (form, value) {
    case (.bool, .bool): value
    case (.float, .double(let number)): !number.isFinite || fits(number) ? value : nil
    case (.float, .int(let number)): float(exactly: number).map { .double($0) }
    case (.float, .uint(let number)): float(exactly: number).map { .double($0) }
    case (_, .int(let number)): integer(number)
    case (_, .uint(let number)): integer(number)
    default: nil
    }
  }

  private func integer<T: FixedWidthInteger>(_ number: T) -> PluginValue? {
    if let range = signedRange { return Int64(exactly: number).flatMap { range.contains($0) ? .int($0) : nil } }
    if let range = unsignedRange { return UInt64(exactly: number).flatMap { range.contains($0) ? .uint($0) : nil } }
    return nil
  }

  /// Converts a JSON number. The digits of an integer must be exact; a fraction is rounded to the type's precision.
  func value(ofJSON digits: String) -> PluginValue? {
    guard form == .float else { return value(ofLiteral: digits) }
    guard isExact(digits) else { return nil }
    let number = size == 4 ? Float(digits).map(Double.init) : Double(digits)
    return number.flatMap { $0.isFinite ? .double($0) : nil }
  }

  /// Converts text to a value; `nil` if the text is not one. Integers may be hexadecimal, floats may be "inf" and
  /// "nan".
  func value(fromText text: String) -> PluginValue? {
    guard form == .float else { return value(ofLiteral: text) ?? integer(text) ?? hexadecimal(text) }
    // A number that is infinite only because it is too large is excluded.
    let name = text.lowercased().drop { $0 == "-" || $0 == "+" }
    let isNamed = name.hasPrefix("inf") || name.hasPrefix("nan")
    return (isNamed ? Double(text) : number(text)).map { .double($0) }
  }

  /// Parses an integer of 0x and hexadecimal digits.
  private func hexadecimal(_ text: String) -> PluginValue? {
    let isNegative = text.hasPrefix("-")
    let digits = text.dropFirst(isNegative ? 1 : 0)
    guard digits.hasPrefix("0x") || digits.hasPrefix("0X"), let magnitude = UInt64(digits.dropFirst(2), radix: 16)
    else {
      return nil
    }
    return integer("\(isNegative ? "-" : "")\(magnitude)")
  }

  /// The description of the type's literals in errors: "an integer from 0 to 255".
  var expectation: String {
    if let (least, greatest) = limits { return "an integer from \(least.json) to \(greatest.json)" }
    return form == .bool ? "true or false" : "a number that an \(rawValue) can hold"
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
