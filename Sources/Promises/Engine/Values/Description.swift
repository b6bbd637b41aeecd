import CPlatform

/// A readable description of a value, in a buffer of fixed size. Text that does not fit is cut off, and nesting deeper
/// than `levels` is omitted. So it takes little stack, and time proportional to the size of the buffer.
package struct Description {
  private var text: ShortText
  private static var levels: Int { 16 }

  /// Writes at most `size - 1` bytes and a NUL; returns the number of bytes before the NUL.
  package static func write(
    _ value: CellValue?, to start: UnsafeMutablePointer<UInt8>, size: Int
  ) -> Int {
    var description = unsafe Description(text: ShortText(start, size: size))
    if let value { description.write(value, level: 0) } else { description.text.write("NULL") }
    return description.text.finish()
  }

  private mutating func write(_ value: CellValue, level: Int) {
    guard value.isWellFormed else {
      text.write("no value: kind ")
      return text.write(decimal: UInt64(value.kind))
    }
    switch ValueKind(rawValue: value.kind) {
    case .void: text.write("void")
    case .bool: text.write(value.bits & 0xff != 0 ? "true" : "false")
    case .i64: text.write(Int64(bitPattern: value.bits))
    case .u64: text.write(decimal: value.bits)
    case .f64: text.write(Double(bitPattern: value.bits))
    case .pointer: write("pointer ", address: value.bits)
    case .discarded:
      text.write("discarded")
      if value.box != 0 { write(causeOf: Box(value.owner), level: level) }
    case .promise: write(promise: value)
    default: write(Box(value.owner), level: level)
    }
  }

  private mutating func write(_ box: Box, level: Int) {
    switch box.kind {
    case .string: unsafe write(quoted: box.bytes)
    case .bytes: write(bytes: box)
    case .array: writeElements(box, level: level, "[", "]")
    case .map: writeElements(box, level: level, "{", "}")
    case .error: write(error: box, level: level)
    default: write(object: box)
    }
  }

  private mutating func writeElements(_ box: Box, level: Int, _ open: StaticString, _ close: StaticString) {
    text.write(open)
    if level == Description.levels {
      text.write(box.count == 0 ? "" : "…")
    } else {
      for index in 0..<box.count {
        if text.isFull { return }
        if index > 0 { text.write(", ") }
        if box.kind == .map {
          unsafe write(quoted: box.key(index).bytes)
          text.write(": ")
        }
        unsafe write(box.elements[index], level: level + 1)
      }
    }
    text.write(close)
  }

  /// Writes text as a string literal: control characters are escaped, so they cannot move a terminal's cursor.
  private mutating func write(quoted bytes: UnsafeRawBufferPointer) {
    text.write("\"")
    for index in bytes.indices {
      if text.isFull { return }
      let byte = unsafe bytes[index]
      switch byte {
      case UInt8(ascii: "\""): text.write("\\\"")
      case UInt8(ascii: "\\"): text.write("\\\\")
      case UInt8(ascii: "\n"): text.write("\\n")
      case UInt8(ascii: "\t"): text.write("\\t")
      case UInt8(ascii: "\r"): text.write("\\r")
      case ..<0x20, 0x7f:
        text.write("\\u00")
        text.write(hexadecimal: UInt64(byte), digits: 2)
      // The second byte of a C1 control, U+0080 to U+009F, after 0xC2: any other character is written as it is.
      case 0x80..<0xa0 where unsafe index > 0 && bytes[index - 1] == 0xc2:
        text.write("\\u00")
        text.write(hexadecimal: UInt64(byte), digits: 2)
      case 0xc2 where unsafe index + 1 < bytes.count && bytes[index + 1] < 0xa0: break
      default: text.write(byte)
      }
    }
    text.write("\"")
  }

  private mutating func write(bytes box: Box) {
    text.write("bytes(")
    text.write(decimal: UInt64(box.count))
    text.write(")")
    for index in 0..<min(box.count, 32) {
      if index % 4 == 0 { text.write(" ") }
      unsafe text.write(hexadecimal: UInt64(box.bytes[index]), digits: 2)
    }
    if box.count > 32 { text.write(" …") }
  }

  private mutating func write(error box: Box, level: Int) {
    text.write("error ")
    unsafe write(box.errorDomain)
    text.write(" ")
    text.write(box.errorCode)
    text.write(": ")
    unsafe write(quoted: box.bytes)
    if let origin = unsafe box.originText {
      text.write(" at ")
      unsafe write(origin)
    }
    write(causeOf: box, level: level)
  }

  private mutating func write(causeOf box: Box, level: Int) {
    guard let cause = unsafe box.cause else { return }
    text.write(", because of ")
    if level == Description.levels { return text.write("…") }
    unsafe write(cause.pointee, level: level + 1)
  }

  private mutating func write(promise value: CellValue) {
    let state = value.owner.state
    text.write(!state.isSettled ? "pending" : state.isRejected ? "rejected" : "fulfilled")
    write(" promise ", address: value.bits)
  }

  private mutating func write(object box: Box) {
    if let describe = unsafe TypeRegistry.describe(box.type), unsafe text.write(by: describe, of: box.data) { return }
    unsafe write(TypeRegistry.name(box.type))
    unsafe write(" ", address: UInt64(UInt(bitPattern: box.data)))
  }

  private mutating func write(_ label: StaticString, address: UInt64) {
    text.write(label)
    text.write("0x")
    text.write(hexadecimal: address, digits: max(1, (67 - address.leadingZeroBitCount) / 4))
  }

  private mutating func write(_ string: UnsafePointer<CChar>?) {
    guard var rest = unsafe string else { return }
    while unsafe rest.pointee != 0 && !text.isFull {
      unsafe text.write(UInt8(bitPattern: rest.pointee))
      unsafe rest += 1
    }
  }
}
