/// Writes values as deterministic CBOR: each number in its shortest form, each length known.
struct CBOREncoder {
  var bytes: [UInt8]
  /// Blocks of shared memory, to which large bytes and texts are copied; `nil`: all are part of the encoding.
  private(set) var memory: [SharedBytes]?
  /// The open files in the values, which only an encoding that shares has.
  private(set) var files: [OpenFile] = []

  /// The number of bytes for the arguments of most calls.
  private static let common = 112

  /// Creates an encoder whose bytes begin with a header.
  init(header: [UInt8] = [], sharing memory: [SharedBytes]? = nil) {
    bytes = []
    bytes.reserveCapacity(header.count + Self.common)
    bytes += header
    self.memory = memory
  }

  /// Encodes a value.
  ///
  /// - Throws: `CBORError` if the value is nested too deeply, or has an open file in it.
  static func encode(_ value: PluginValue) throws(CBORError) -> [UInt8] {
    var encoder = CBOREncoder()
    try encoder.append(value)
    return encoder.bytes
  }

  mutating func append(_ value: PluginValue, depth: Int = 0) throws(CBORError) {
    guard depth <= CBOR.maximumDepth else {
      throw CBORError(offset: nil, message: "is nested deeper than \(CBOR.maximumDepth) levels")
    }
    switch value {
    case .void: simple(CBOR.Simple.null)
    case .bool(let value): simple(value ? CBOR.Simple.true : CBOR.Simple.false)
    case .uint(let number): append(number)
    case .int(let number) where number < 0: head(CBOR.Major.negative, UInt64(bitPattern: ~number))
    case .int(let number):
      head(CBOR.Major.tag, CBOR.Tag.signed)
      head(CBOR.Major.unsigned, UInt64(number))
    case .double(let number): double(number)
    case .string(let string):
      if memory != nil, string.utf8.count >= SharedBytes.threshold,
        share(Array(string.utf8), CBOR.Tag.sharedText)
      {
        return
      }
      text(string)
    case .bytes(let content):
      if share(content, CBOR.Tag.sharedBytes) { return }
      head(CBOR.Major.bytes, UInt64(content.count))
      bytes += content
    case .pointer(let pointer):
      head(CBOR.Major.tag, CBOR.Tag.handle)
      head(CBOR.Major.array, 2)
      text(pointer.name)
      head(CBOR.Major.unsigned, UInt64(pointer.address))
    case .file(let file):
      guard memory != nil, files.count < Frame.maximumFiles else {
        throw CBORError(
          offset: nil, message: "has more open files than a frame, which has at most \(Frame.maximumFiles)")
      }
      head(CBOR.Major.tag, CBOR.Tag.file)
      head(CBOR.Major.unsigned, UInt64(files.count))
      files.append(file)
    case .array(let elements):
      head(CBOR.Major.array, UInt64(elements.count))
      for element in elements { try append(element, depth: depth + 1) }
    case .object(let members):
      head(CBOR.Major.tag, CBOR.Tag.object)
      head(CBOR.Major.array, UInt64(2 * members.count))
      for member in members {
        text(member.name)
        try append(member.value, depth: depth + 1)
      }
    }
  }

  /// Begins an array of `count` values, which must be appended next.
  mutating func array(of count: Int) { head(CBOR.Major.array, UInt64(count)) }

  mutating func append(_ number: UInt64) { head(CBOR.Major.unsigned, number) }

  /// Notes a block of shared memory. Returns its index; `nil` if the frame has too much.
  mutating func share(_ block: SharedBytes) -> Int? {
    guard hasCapacity(for: block.count) else { return nil }
    memory?.append(block)
    return memory.map { $0.count - 1 }
  }

  private func hasCapacity(for count: Int) -> Bool {
    guard let memory, memory.count < Frame.maximumBlocks else { return false }
    return memory.reduce(count) { $0 + $1.count } <= SharedBytes.longest
  }

  /// Copies large bytes to shared memory and appends the reference to it. Returns false if they must be encoded.
  private mutating func share(_ content: [UInt8], _ tag: UInt64) -> Bool {
    guard hasCapacity(for: content.count), let block = SharedBytes(sending: content), let index = share(block) else {
      return false
    }
    head(CBOR.Major.tag, tag)
    head(CBOR.Major.unsigned, UInt64(index))
    return true
  }

  private mutating func text(_ string: String) {
    var string = string
    string.withUTF8 { utf8 in
      head(CBOR.Major.text, UInt64(utf8.count))
      bytes += utf8
    }
  }

  private mutating func simple(_ information: UInt8) { bytes.append(CBOR.Major.simple << 5 | information) }

  /// Appends a major type with its number in the shortest form.
  private mutating func head(_ major: UInt8, _ number: UInt64) {
    switch number {
    case 0..<24: bytes.append(major << 5 | UInt8(number))
    case 24..<0x100:
      bytes.append(major << 5 | 24)
      bytes.append(UInt8(number))
    case 0x100..<0x1_0000: append(major << 5 | 25, UInt16(number))
    case 0x1_0000..<0x1_0000_0000: append(major << 5 | 26, UInt32(number))
    default: append(major << 5 | 27, number)
    }
  }

  private mutating func append(_ first: UInt8, _ number: some FixedWidthInteger) {
    bytes.append(first)
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// Appends the shortest float of the same value; for a NaN, of the same payload.
  private mutating func double(_ number: Double) {
    let pattern = number.bitPattern
    guard let single = HalfPrecision.single(exactly: pattern) else {
      return append(CBOR.Major.simple << 5 | CBOR.Simple.double, pattern)
    }
    if let half = HalfPrecision.half(exactly: single) {
      append(CBOR.Major.simple << 5 | CBOR.Simple.half, half)
    } else {
      append(CBOR.Major.simple << 5 | CBOR.Simple.single, single)
    }
  }
}
