/// The reason why a text is not readable JSON, or a value cannot be written as JSON.
package struct JSONFault {
  /// The codes of the error.
  package enum Kind: Int64 {
    case outOfMemory = 0
    case syntax = 1, encoding = 2, depth = 3, duplicate = 4, range = 5, unsupported = 6, length = 7
  }

  package let kind: Kind
  let message: StaticString
  /// The position in the text, in bytes.
  var offset = 0

  init(_ kind: Kind, _ message: StaticString, at offset: Int = 0) {
    self.kind = kind
    self.message = message
    self.offset = offset
  }

  /// Makes an ERROR of the domain "promise.json", whose cause is a MAP with the position in the text: "offset", "line"
  /// and "column". Nil when memory has run out.
  func error(in text: UnsafeRawBufferPointer) -> CellValue? {
    var (line, column) = (1, 1)
    for index in 0..<min(offset, text.count) {
      switch unsafe text[index] {
      case UInt8(ascii: "\n"): (line, column) = (line + 1, 1)
      case 0x80..<0xc0: break  // A continuation byte.
      default: column += 1
      }
    }
    var message = TextBuffer()
    message.write(self.message)
    if offset < text.count {
      message.write(", found ")
      unsafe JSONFault.write(text, from: offset, to: &message)
    } else if kind == .syntax {
      message.write(", found the end of the text")
    }
    message.write(" (line ")
    message.write(decimal: UInt64(line))
    message.write(", column ")
    message.write(decimal: UInt64(column))
    message.write(", byte ")
    message.write(decimal: UInt64(offset))
    message.write(")")
    guard let place = MapTable.place(offset: offset, line: line, column: column) else {
      message.free()
      return nil
    }
    return make(&message, cause: place)
  }

  /// Makes an ERROR of the domain "promise.json", whose cause is a MAP with the "path" to the offending part of the
  /// value.
  func error(path: inout TextBuffer) -> CellValue? {
    var message = TextBuffer()
    message.write(self.message)
    message.write(" (at ")
    unsafe message.write(path.bytes)
    message.write(")")
    guard let place = MapTable.place(path: path) else {
      message.free()
      return nil
    }
    return make(&message, cause: place)
  }

  /// Makes the ERROR. Takes ownership of the cause; frees the message.
  private func make(_ message: inout TextBuffer, cause: CellValue) -> CellValue? {
    defer { message.free() }
    guard !message.hasFailed else {
      cause.release()
      return nil
    }
    let domain: StaticString = "promise.json"
    return unsafe Box.error(
      domain: UnsafeBufferPointer(start: domain.utf8Start, count: domain.utf8CodeUnitCount), code: kind.rawValue,
      message: message.bytes.assumingMemoryBound(to: UInt8.self),
      origin: UnsafeBufferPointer(start: nil, count: 0), cause: cause)
  }

  /// Writes the character at an offset, or the number of a byte that is not printable.
  private static func write(_ text: UnsafeRawBufferPointer, from offset: Int, to message: inout TextBuffer) {
    let byte = unsafe text[offset]
    let end = min(text.count, offset + (byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4))
    let character = unsafe UnsafeRawBufferPointer(rebasing: text[offset..<end])
    // U+0080 to U+009F, the C1 controls, may move a terminal's cursor too.
    let isControl = unsafe byte < 0x20 || byte == 0x7f || byte == 0xc2 && character.count == 2 && character[1] < 0xa0
    guard !isControl, unsafe Text.isUTF8(character) else {
      message.write("the byte 0x")
      return message.write(hexadecimal: UInt64(byte), digits: 2)
    }
    message.write("'")
    unsafe message.write(character)
    message.write("'")
  }
}

extension MapTable {
  /// Makes a MAP with a position in a text.
  fileprivate static func place(offset: Int, line: Int, column: Int) -> CellValue? {
    guard var table = MapTable(capacity: 3) else { return nil }
    guard table.set("offset", offset), table.set("line", line), table.set("column", column) else {
      table.discard()
      return nil
    }
    return Box.map(table)
  }

  /// Makes a MAP with a path in a value.
  fileprivate static func place(path: TextBuffer) -> CellValue? {
    guard !path.hasFailed, let value = unsafe Box.bytes(.string, path.bytes) else { return nil }
    guard var table = MapTable(capacity: 1) else {
      value.release()
      return nil
    }
    guard table.set("path", value) else {
      table.discard()
      return nil
    }
    return Box.map(table)
  }

  private mutating func set(_ key: StaticString, _ number: Int) -> Bool {
    set(key, CellValue(kind: .u64, bits: UInt64(number)))
  }

  fileprivate mutating func set(_ key: StaticString, _ value: CellValue) -> Bool {
    let bytes = unsafe UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    guard let key = unsafe Box.bytes(.string, bytes) else {
      value.release()
      return false
    }
    return set(key, value) != nil
  }
}
