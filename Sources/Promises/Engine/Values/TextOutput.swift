/// A destination of text, written byte by byte.
protocol TextOutput {
  mutating func write(_ byte: UInt8)
}

/// Forwards the digits of a number as the standard library writes them: from its stack, without a String.
private struct Digits<Output: TextOutput>: TextOutputStream {
  var output: Output

  mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
    for index in buffer.indices { unsafe output.write(buffer[index]) }
  }

  mutating func write(_ string: String) {
    for byte in string.utf8 { output.write(byte) }
  }
}

extension TextOutput {
  mutating func write(_ text: StaticString) {
    for offset in 0..<text.utf8CodeUnitCount { unsafe write(text.utf8Start[offset]) }
  }

  mutating func write(_ number: Int64) {
    if number < 0 { write(UInt8(ascii: "-")) }
    write(decimal: number.magnitude)
  }

  mutating func write(decimal number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      write(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Writes the lowest `digits` hexadecimal digits.
  mutating func write(hexadecimal number: UInt64, digits: Int) {
    for digit in (0..<digits).reversed() {
      let value = UInt8(number >> UInt64(digit * 4) & 15)
      write(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value)
    }
  }

  /// Writes the shortest digits that are read back as the same number. Allocates no memory.
  mutating func write(_ number: Double) {
    // Written through the stream, a NaN would show its payload.
    if number.isNaN { return write("nan") }
    var digits = Digits(output: self)
    number.write(to: &digits)
    self = digits.output
  }

  /// Writes a character as UTF-8.
  mutating func write(scalar: UInt32) {
    var (bytes, count) = Text.encode(scalar)
    while count > 0 {
      write(UInt8(truncatingIfNeeded: bytes))
      bytes >>= 8
      count -= 1
    }
  }

  mutating func write(repeating byte: UInt8, count: Int) {
    for _ in 0..<count { write(byte) }
  }
}
