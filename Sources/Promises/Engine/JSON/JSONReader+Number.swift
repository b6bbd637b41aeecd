import CPlatform

extension JSONReader {
  /// Reads a number: an I64 or a U64 if it is written as an integer and fits, otherwise the nearest F64.
  mutating func readNumber() throws(Failure) -> CellValue {
    let start = position
    var number = Decimal()
    number.isNegative = byte == UInt8(ascii: "-")
    if number.isNegative { position += 1 }
    if byte == UInt8(ascii: "0") {
      position += 1
      if isDigit { throw fault("expected no digit after a leading zero") }
    } else {
      try readDigits(of: &number, isFraction: false)
    }
    var isInteger = true
    if byte == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try readDigits(of: &number, isFraction: true)
    }
    if let byte, byte | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      let exponent = try readExponent()
      number.exponent += exponent
    }
    if isInteger, let integer = number.integer { return integer }
    let double: Double
    if let exact = number.double { double = exact } else { double = try nearestDouble(from: start) }
    guard double.isFinite else {
      throw .fault(JSONFault(.range, "expected a number that a double can hold", at: start))
    }
    return CellValue(kind: .f64, bits: double.bitPattern)
  }

  private var isDigit: Bool { byte.map { $0 &- UInt8(ascii: "0") < 10 } ?? false }

  private mutating func readDigits(of number: inout Decimal, isFraction: Bool) throws(Failure) {
    guard isDigit else { throw fault("expected a digit") }
    while isDigit {
      unsafe number.append(text[position] - UInt8(ascii: "0"))
      if isFraction { number.exponent -= 1 }
      position += 1
    }
  }

  /// Reads an exponent, clamped to a million: larger ones lead to the same number.
  private mutating func readExponent() throws(Failure) -> Int {
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative || byte == UInt8(ascii: "+") { position += 1 }
    guard isDigit else { throw fault("expected a digit of an exponent") }
    var exponent = 0
    while isDigit {
      exponent = unsafe min(exponent * 10 + Int(text[position] - UInt8(ascii: "0")), 1_000_000)
      position += 1
    }
    return isNegative ? -exponent : exponent
  }

  /// Converts the number that ends at the position by the slow and exact method.
  private mutating func nearestDouble(from start: Int) throws(Failure) -> Double {
    scratch.removeAll()
    unsafe scratch.write(UnsafeRawBufferPointer(rebasing: text[start..<position]))
    scratch.write(0)
    guard !scratch.hasFailed else { throw .outOfMemory }
    return unsafe platform_double(scratch.bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
  }

  /// The digits and the exponent of a number as written, if the digits fit.
  private struct Decimal {
    var isNegative = false
    var exponent = 0
    private var digits: UInt64 = 0
    private var overflows = false

    mutating func append(_ digit: UInt8) {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      digits = sum
      overflows = overflows || overflow || carry
    }

    var integer: CellValue? {
      if overflows { return nil }
      if !isNegative {
        return CellValue(kind: digits >> 63 == 0 ? .i64 : .u64, bits: digits)
      }
      return digits <= 1 << 63 ? CellValue(kind: .i64, bits: 0 &- digits) : nil
    }

    /// The correctly rounded result, if both the digits and the power of ten are exact: then there is only one
    /// rounding.
    var double: Double? {
      guard !overflows, digits <= 1 << 53, exponent >= -22, exponent <= 22 else { return nil }
      var power = 1.0
      for _ in 0..<exponent.magnitude { power *= 10 }
      let magnitude = exponent < 0 ? Double(digits) / power : Double(digits) * power
      return isNegative ? -magnitude : magnitude
    }
  }
}
