import CPlatform

/// Writes a value as JSON, without recursion. BYTES become a string in base64; an ERROR becomes an object with
/// "domain", "code", "message" and, if present, "origin" and "cause".
package struct JSONWriter {
  private let options: JSONOptions
  private var text: TextBuffer
  private var containers = RawStack<Container>()

  private struct Container: BitwiseCopyable {
    var box: UInt32
    /// The number of elements written.
    var index: Int
  }

  package static func write(_ value: CellValue, _ options: JSONOptions) -> JSONResult {
    var writer = JSONWriter(options)
    defer { writer.containers.free() }
    var fault = writer.begin(value)
    while fault == nil, !writer.containers.isEmpty, !writer.text.hasFailed { fault = writer.next() }
    if fault == nil && writer.text.isBeyondLimit {
      fault = JSONFault(.length, "the text would be longer than the caller allows")
    }
    guard fault == nil, !writer.text.isOutOfMemory else {
      defer { writer.text.free() }
      guard let fault, !writer.text.isOutOfMemory, fault.kind != .outOfMemory else { return .outOfMemory }
      var path = writer.path()
      defer { path.free() }
      return .fault(fault.error(path: &path))
    }
    return writer.text.string().map { .value($0) } ?? .outOfMemory
  }

  private init(_ options: JSONOptions) {
    self.options = options
    text = TextBuffer(limit: Int(clamping: options.maxLength))
  }

  /// Writes the next element of the innermost container, or its end.
  private mutating func next() -> JSONFault? {
    let (box, index) = (
      Box(CellRef(index: containers[containers.count - 1].box)), containers[containers.count - 1].index
    )
    guard index < JSONWriter.count(box) else {
      _ = containers.pop()
      if index > 0 || box.kind == .error { startLine() }
      text.write(box.kind == .array ? UInt8(ascii: "]") : UInt8(ascii: "}"))
      return nil
    }
    containers[containers.count - 1].index += 1
    if index > 0 || box.kind == .error { text.write(UInt8(ascii: ",")) }
    startLine()
    switch box.kind {
    case .error:
      writeName("cause")
      return unsafe begin(box.cause.unsafelyUnwrapped.pointee)
    case .map:
      unsafe write(quoted: box.key(index).bytes)
      writeColon()
    default: break
    }
    return unsafe begin(box.elements[index])
  }

  /// The number of elements of a container, not counting the fields of an error that begin() writes.
  private static func count(_ box: Box) -> Int {
    unsafe box.kind == .error ? (box.cause == nil ? 0 : 1) : box.count
  }

  /// Writes a value, or the beginning of a container.
  private mutating func begin(_ value: CellValue) -> JSONFault? {
    switch ValueKind(rawValue: value.kind) {
    case .void: text.write("null")
    case .bool: text.write(value.bits & 0xff != 0 ? "true" : "false")
    case .i64: text.write(Int64(bitPattern: value.bits))
    case .u64: text.write(decimal: value.bits)
    case .f64: return write(Double(bitPattern: value.bits))
    case .string: unsafe write(quoted: Box(value.owner).bytes)
    case .bytes: unsafe write(base64: Box(value.owner).bytes)
    case .array, .map, .error: return begin(Box(value.owner))
    case .pointer: return JSONFault(.unsupported, "JSON has no pointers")
    case .promise: return JSONFault(.unsupported, "JSON has no promises: wait for it and write its result")
    case .discarded: return JSONFault(.unsupported, "JSON has no form for DISCARDED")
    default: return JSONFault(.unsupported, "JSON has no objects of registered types")
    }
    return nil
  }

  private mutating func begin(_ box: Box) -> JSONFault? {
    guard containers.count < options.maxDepth else {
      return JSONFault(.depth, "arrays and maps are nested deeper than the caller allows")
    }
    guard containers.push(Container(box: box.ref.index, index: 0)) else {
      return JSONFault(.outOfMemory, "")
    }
    text.write(box.kind == .array ? UInt8(ascii: "[") : UInt8(ascii: "{"))
    if box.kind == .error { begin(error: box) }
    return nil
  }

  private mutating func begin(error box: Box) {
    startLine()
    writeName("domain")
    unsafe write(string: box.errorDomain)
    text.write(UInt8(ascii: ","))
    startLine()
    writeName("code")
    text.write(box.errorCode)
    text.write(UInt8(ascii: ","))
    startLine()
    writeName("message")
    unsafe write(quoted: box.bytes)
    guard let origin = unsafe box.originText else { return }
    text.write(UInt8(ascii: ","))
    startLine()
    writeName("origin")
    unsafe write(string: origin)
  }

  private mutating func startLine() {
    guard options.indent > 0 else { return }
    text.write(UInt8(ascii: "\n"))
    text.write(repeating: UInt8(ascii: " "), count: options.indent * containers.count)
  }

  private mutating func writeName(_ name: StaticString) {
    text.write(UInt8(ascii: "\""))
    text.write(name)
    text.write(UInt8(ascii: "\""))
    writeColon()
  }

  private mutating func writeColon() {
    text.write(UInt8(ascii: ":"))
    if options.indent > 0 { text.write(UInt8(ascii: " ")) }
  }

  private mutating func write(_ number: Double) -> JSONFault? {
    if number.isFinite {
      text.write(number)
      return nil
    }
    guard options.nonFiniteAsNull else { return JSONFault(.range, "JSON has no number for NaN or infinity") }
    text.write("null")
    return nil
  }

  private mutating func write(string: UnsafePointer<CChar>?) {
    let string = unsafe string.unsafelyUnwrapped
    unsafe write(quoted: UnsafeRawBufferPointer(start: string, count: Int(strlen(string))))
  }

  private mutating func write(quoted bytes: UnsafeRawBufferPointer) {
    unsafe text.write(quoted: bytes, asciiOnly: options.asciiOnly)
  }

  private mutating func write(base64 bytes: UnsafeRawBufferPointer) {
    text.write(UInt8(ascii: "\""))
    unsafe text.write(base64: bytes)
    text.write(UInt8(ascii: "\""))
  }

  /// The path to the value written last: "$" is the outermost one.
  private func path() -> TextBuffer {
    var path = TextBuffer()
    path.write(UInt8(ascii: "$"))
    for level in 0..<containers.count {
      let (box, index) = (Box(CellRef(index: containers[level].box)), containers[level].index - 1)
      if index < 0 { break }
      path.write(box.kind == .array ? "[" : box.kind == .map ? "[" : ".cause")
      if box.kind == .array { path.write(decimal: UInt64(index)) }
      if box.kind == .map { unsafe path.write(quoted: box.key(index).bytes, asciiOnly: false) }
      if box.kind != .error { path.write(UInt8(ascii: "]")) }
    }
    return path
  }
}
