extension JSONReader {
  /// Reads a string whose first quotation mark is at the position.
  mutating func readString(isKey: Bool = false) throws(Failure) -> CellValue {
    position += 1
    let first = unsafe try readRun()
    if byte == UInt8(ascii: "\"") {
      position += 1
      return unsafe try make(first, isKey: isKey)
    }
    scratch.removeAll()
    unsafe scratch.write(first)
    while byte == UInt8(ascii: "\\") {
      try readEscape()
      unsafe scratch.write(try readRun())
    }
    guard byte == UInt8(ascii: "\"") else {
      throw fault(
        byte == nil
          ? "expected '\"', the end of a string" : "expected no control character in a string: write it as \\u00..")
    }
    position += 1
    guard !scratch.hasFailed else { throw .outOfMemory }
    return unsafe try make(scratch.bytes, isKey: isKey)
  }

  private mutating func make(_ bytes: UnsafeRawBufferPointer, isKey: Bool) throws(Failure) -> CellValue {
    guard let value = unsafe isKey ? keys.key(bytes) : Box.bytes(.string, bytes) else { throw .outOfMemory }
    return value
  }

  /// Reads a run of unescaped characters.
  private mutating func readRun() throws(Failure) -> UnsafeRawBufferPointer {
    let start = position
    var all: UInt8 = 0
    while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      all |= byte
      position += 1
    }
    let run = unsafe UnsafeRawBufferPointer(rebasing: text[start..<position])
    guard all >= 0x80 else { return unsafe run }
    let valid = unsafe Text.validPrefix(run)
    guard valid == run.count else {
      throw .fault(JSONFault(.encoding, "expected UTF-8", at: start + valid))
    }
    return unsafe run
  }

  private mutating func readEscape() throws(Failure) {
    let start = position
    position += 1
    switch byte {
    case UInt8(ascii: "\"")?: scratch.write(UInt8(ascii: "\""))
    case UInt8(ascii: "\\")?: scratch.write(UInt8(ascii: "\\"))
    case UInt8(ascii: "/")?: scratch.write(UInt8(ascii: "/"))
    case UInt8(ascii: "b")?: scratch.write(0x08)
    case UInt8(ascii: "f")?: scratch.write(0x0c)
    case UInt8(ascii: "n")?: scratch.write(0x0a)
    case UInt8(ascii: "r")?: scratch.write(0x0d)
    case UInt8(ascii: "t")?: scratch.write(0x09)
    case UInt8(ascii: "u")?: return scratch.write(scalar: try readCode(start))
    default: throw fault("expected one of '\"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u' after '\\'")
    }
    position += 1
  }

  /// Reads the code of an escaped character, which may be a surrogate pair. The position is at its 'u'.
  private mutating func readCode(_ start: Int) throws(Failure) -> UInt32 {
    position += 1
    let high = try readHexadecimal()
    guard high & 0xf800 == 0xd800 else { return high }
    let half = Failure.fault(JSONFault(.encoding, "expected both halves of a surrogate pair", at: start))
    guard high < 0xdc00, byte == UInt8(ascii: "\\") else { throw half }
    position += 1
    guard byte == UInt8(ascii: "u") else { throw half }
    position += 1
    let low = try readHexadecimal()
    guard low & 0xfc00 == 0xdc00 else { throw half }
    return 0x10000 + (high & 0x3ff) << 10 + low & 0x3ff
  }

  private mutating func readHexadecimal() throws(Failure) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      switch byte {
      case let digit? where digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9"):
        number = number << 4 | UInt32(digit - UInt8(ascii: "0"))
      case let digit? where digit | 0x20 >= UInt8(ascii: "a") && digit | 0x20 <= UInt8(ascii: "f"):
        number = number << 4 | UInt32(digit | 0x20 - UInt8(ascii: "a") + 10)
      default: throw fault("expected four hexadecimal digits after '\\u'")
      }
      position += 1
    }
    return number
  }
}
