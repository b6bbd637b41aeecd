import CPlatform

/// Reads a JSON text (RFC 8259), in one pass and without recursion.
///
/// One stack holds the values of all open containers, keys before their values. A container pops its part when it ends.
@safe
package struct JSONReader {
  let text: UnsafeRawBufferPointer
  let options: JSONOptions
  var position = 0
  var scratch = TextBuffer()
  var keys = JSONKeys()
  private var values = RawStack<CellValue>()
  private var containers = RawStack<Container>()

  private struct Container: BitwiseCopyable {
    /// The index of its first value on the stack.
    var start: Int
    var isMap: Bool
    var closing: UInt8 { isMap ? UInt8(ascii: "}") : UInt8(ascii: "]") }
  }

  enum Failure: Error {
    case fault(JSONFault)
    case outOfMemory
  }

  package static func read(_ text: UnsafeRawBufferPointer, _ options: JSONOptions) -> JSONResult {
    var reader = unsafe JSONReader(text: text, options: options)
    defer { reader.free() }
    do throws(Failure) {
      return .value(try reader.readAll())
    } catch {
      switch error {
      case .outOfMemory: return .outOfMemory
      case .fault(let fault): return unsafe .fault(fault.error(in: text))
      }
    }
  }

  private init(text: UnsafeRawBufferPointer, options: JSONOptions) {
    unsafe self.text = unsafe text
    self.options = options
  }

  private func free() {
    for index in 0..<values.count { values[index].release() }
    values.free()
    containers.free()
    scratch.free()
    keys.free()
  }

  private mutating func readAll() throws(Failure) -> CellValue {
    guard unsafe UInt64(text.count) <= options.maxLength else {
      throw unsafe .fault(JSONFault(.length, "the text is longer than the caller allows", at: text.count))
    }
    skipSpace()
    repeat {
      if try begin() { try close() }
    } while !containers.isEmpty
    guard unsafe position == text.count else { throw fault("expected nothing after the value") }
    return values.pop()
  }

  /// Reads a value, or the beginning of a non-empty container up to its first value. False in the second case.
  private mutating func begin() throws(Failure) -> Bool {
    guard let byte, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") else {
      try push(try readScalar())
      return true
    }
    guard containers.count < options.maxDepth else {
      throw .fault(JSONFault(.depth, "arrays and objects are nested deeper than the caller allows", at: position))
    }
    let container = Container(start: values.count, isMap: byte == UInt8(ascii: "{"))
    guard containers.push(container) else { throw .outOfMemory }
    position += 1
    skipSpace()
    if self.byte == container.closing {
      try end(container)
      return true
    }
    if container.isMap { try readKey() }
    return false
  }

  /// Reads the separators and ends of containers after a value, up to the beginning of the next value.
  private mutating func close() throws(Failure) {
    skipSpace()
    while !containers.isEmpty {
      let container = containers[containers.count - 1]
      if byte == UInt8(ascii: ",") {
        position += 1
        skipSpace()
        if container.isMap { try readKey() }
        return
      }
      guard byte == container.closing else {
        throw fault(
          container.isMap
            ? "expected ',' or '}' after an entry of an object" : "expected ',' or ']' after an element of an array")
      }
      try end(container)
      skipSpace()
    }
  }

  /// Pops the elements or entries of a container from the stack, and pushes the array or map that they make.
  private mutating func end(_ container: Container) throws(Failure) {
    let start = container.start
    let made: CellValue?
    if container.isMap {
      made = try map(from: start)
    } else {
      let elements = unsafe values.start.map { unsafe UnsafeRawPointer($0 + start) }
      made = unsafe Box.array(elements, count: values.count - start)
    }
    values.truncate(to: start)
    _ = containers.pop()
    position += 1
    guard let made else { throw .outOfMemory }
    try push(made)
  }

  private mutating func map(from start: Int) throws(Failure) -> CellValue? {
    guard var table = MapTable(capacity: (values.count - start) / 2) else { throw .outOfMemory }
    for index in stride(from: start, to: values.count, by: 2) {
      let (key, value, count) = (values[index], values[index + 1], table.count)
      // The table owns the key and the value from here on.
      (values[index], values[index + 1]) = (.void, .void)
      guard let replaced = table.set(key, value) else {
        table.discard()
        throw .outOfMemory
      }
      replaced.release()
      if table.count == count && !options.lastWins {
        table.discard()
        throw .fault(JSONFault(.duplicate, "expected a key that the object does not have yet", at: Int(key.bits)))
      }
    }
    return Box.map(table)
  }

  /// Reads a key and the colon after it. A key on the stack has its offset in the text in place of its address.
  private mutating func readKey() throws(Failure) {
    guard byte == UInt8(ascii: "\"") else { throw fault("expected '\"', the beginning of a key") }
    let offset = position
    var key = try readString(isKey: true)
    key.bits = UInt64(offset)
    try push(key)
    skipSpace()
    guard byte == UInt8(ascii: ":") else { throw fault("expected ':' after a key") }
    position += 1
    skipSpace()
  }

  /// Reads a value that is not a container.
  private mutating func readScalar() throws(Failure) -> CellValue {
    switch byte {
    case UInt8(ascii: "\"")?: return try readString()
    case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return try readNumber()
    case UInt8(ascii: "t")?: return try readWord("true", CellValue(kind: .bool, bits: 1))
    case UInt8(ascii: "f")?: return try readWord("false", CellValue(kind: .bool))
    case UInt8(ascii: "n")?: return try readWord("null", .void)
    default: throw fault("expected a value")
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: CellValue) throws(Failure) -> CellValue {
    for offset in 0..<word.utf8CodeUnitCount {
      guard unsafe byte == word.utf8Start[offset] else { throw fault("expected 'true', 'false' or 'null'") }
      position += 1
    }
    return value
  }

  private mutating func push(_ value: CellValue) throws(Failure) {
    if values.push(value) { return }
    value.release()
    throw .outOfMemory
  }
}

extension JSONReader {
  /// The byte at the position; nil at the end.
  var byte: UInt8? { unsafe position < text.count ? text[position] : nil }

  func fault(_ message: StaticString) -> Failure { .fault(JSONFault(.syntax, message, at: position)) }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
  }
}
