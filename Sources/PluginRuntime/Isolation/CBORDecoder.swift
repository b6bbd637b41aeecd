/// Reads values from bytes of another process. For any bytes, the result is a value or an error. Only the
/// deterministic form is accepted, so that each value has one encoding.
struct CBORDecoder {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  private var count = 0
  private let limit: Int
  private let handles: HandleLeases?
  /// The blocks of shared memory that no value has been read from yet.
  private var memory: [SharedBytes?]
  private let files: [OpenFile]
  /// The number of files that values refer to. Each file has one value, in the order of the files.
  private var usedFiles = 0

  /// Decodes bytes that are one value and nothing else. `handles`: leases the handles in it, which must be those of one
  /// worker; `nil`: they may be any numbers. `memory`: shared memory, each block of which is read at most once.
  /// `files`: the open files of the values. `limit`: the maximum number of values, the elements of arrays included.
  static func decode(
    _ bytes: ArraySlice<UInt8>, handles: HandleLeases? = nil, memory: [SharedBytes] = [], files: [OpenFile] = [],
    limit: Int = CBOR.maximumCount
  ) throws(CBORError) -> PluginValue {
    let result = bytes.withUnsafeBytes { buffer -> Result<PluginValue, CBORError> in
      var decoder = CBORDecoder(buffer, handles: handles, memory: memory, files: files, limit: limit)
      do throws(CBORError) {
        let value = try decoder.value(depth: 0)
        try decoder.end()
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Creates a decoder of bytes that stay valid. The parameters are those of `decode`.
  init(
    _ bytes: UnsafeRawBufferPointer, handles: HandleLeases? = nil, memory: [SharedBytes] = [], files: [OpenFile] = [],
    limit: Int = CBOR.maximumCount
  ) {
    self.limit = limit
    self.files = files
    // Skips the conversion of an empty array to an array of optionals.
    self.memory = memory.isEmpty ? [] : memory
    self.bytes = bytes
    self.handles = handles
  }

  private var remaining: Int { bytes.count - offset }

  private func error(_ message: String) -> CBORError {
    CBORError(offset: offset, message: message)
  }

  private mutating func value(depth: Int) throws(CBORError) -> PluginValue {
    guard depth <= CBOR.maximumDepth else { throw error("nested deeper than \(CBOR.maximumDepth) levels") }
    count += 1
    guard count <= limit else { throw error("more than \(limit) values") }
    let (major, information) = try first()
    switch major {
    case CBOR.Major.unsigned: return .uint(try number(information))
    case CBOR.Major.negative:
      guard let number = Int64(exactly: try number(information)) else { throw error("an integer below -2^63") }
      return .int(~number)
    case CBOR.Major.bytes: return .bytes(Array(try content(information)))
    case CBOR.Major.text: return .string(try text(information))
    case CBOR.Major.array: return .array(try elements(information, depth: depth))
    case CBOR.Major.tag: return try tagged(try number(information), depth: depth)
    case CBOR.Major.simple: return try simple(information)
    default: throw error("a map, expected the tag of an object")
    }
  }

  private mutating func first() throws(CBORError) -> (major: UInt8, information: UInt8) {
    guard remaining > 0 else { throw error("the end, expected a value") }
    defer { offset += 1 }
    return (bytes[offset] >> 5, bytes[offset] & 0x1F)
  }

  /// Reads the number of a head, which must be in its shortest form.
  private mutating func number(_ information: UInt8) throws(CBORError) -> UInt64 {
    switch information {
    case 0..<24: return UInt64(information)
    case 24: return try number(width: 1, atLeast: 24)
    case 25: return try number(width: 2, atLeast: 0x100)
    case 26: return try number(width: 4, atLeast: 0x1_0000)
    case 27: return try number(width: 8, atLeast: 0x1_0000_0000)
    default: throw error("an indefinite length or a reserved number")
    }
  }

  private mutating func number(width: Int, atLeast least: UInt64) throws(CBORError) -> UInt64 {
    let number = try bigEndian(width: width)
    guard number >= least else { throw error("a number that is not in its shortest form") }
    return number
  }

  private mutating func bigEndian(width: Int) throws(CBORError) -> UInt64 {
    guard remaining >= width else { throw error("the end within a number") }
    defer { offset += width }
    var number: UInt64 = 0
    for index in offset..<offset + width { number = number << 8 | UInt64(bytes[index]) }
    return number
  }

  private mutating func content(_ information: UInt8) throws(CBORError) -> UnsafeRawBufferPointer {
    let length = try number(information)
    guard length <= UInt64(remaining) else { throw error("\(length) bytes, but only \(remaining) are left") }
    defer { offset += Int(length) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
  }

  private mutating func text(_ information: UInt8) throws(CBORError) -> String {
    guard let text = String(validating: try content(information), as: UTF8.self) else {
      throw error("text that is not UTF-8")
    }
    return text
  }

  /// Reads the length of an array; each element takes a byte at least.
  private mutating func length(_ information: UInt8) throws(CBORError) -> Int {
    let length = try number(information)
    guard length <= UInt64(remaining) else { throw error("\(length) elements, but only \(remaining) bytes are left") }
    return Int(length)
  }

  private mutating func elements(_ information: UInt8, depth: Int) throws(CBORError) -> [PluginValue] {
    var elements: [PluginValue] = []
    let length = try length(information)
    // Not all is reserved in advance: the sender decides the length.
    elements.reserveCapacity(min(length, 16))
    for _ in 0..<length { elements.append(try value(depth: depth + 1)) }
    return elements
  }

  private mutating func tagged(_ tag: UInt64, depth: Int) throws(CBORError) -> PluginValue {
    let (major, information) = try first()
    switch (tag, major) {
    case (CBOR.Tag.signed, CBOR.Major.unsigned):
      guard let number = Int64(exactly: try number(information)) else { throw error("an integer above 2^63 - 1") }
      return .int(number)
    case (CBOR.Tag.handle, CBOR.Major.array): return .pointer(try handle(information))
    case (CBOR.Tag.sharedBytes, CBOR.Major.unsigned): return .bytes(try block(information).bytes)
    case (CBOR.Tag.sharedText, CBOR.Major.unsigned):
      // Validates a copy: even if the memory were not sealed, no other process could change the copy.
      guard let text = String(validating: try block(information).bytes, as: UTF8.self) else {
        throw error("text that is not UTF-8")
      }
      return .string(text)
    case (CBOR.Tag.file, CBOR.Major.unsigned):
      guard usedFiles < files.count, try number(information) == UInt64(usedFiles) else {
        throw error("an open file that is not the next one of the frame's \(files.count)")
      }
      usedFiles += 1
      return .file(files[usedFiles - 1])
    case (CBOR.Tag.object, CBOR.Major.array): return .object(try members(information, depth: depth))
    default: throw error("the tag \(tag) before a value of the wrong type")
    }
  }

  /// Returns a block of shared memory. A block is read once, so that a small frame cannot become many copies of it.
  private mutating func block(_ information: UInt8) throws(CBORError) -> SharedBytes {
    let index = try number(information)
    guard index < UInt64(memory.count), let block = memory[Int(index)] else {
      throw error("block \(index) of shared memory, which is not there or was read before")
    }
    memory[Int(index)] = nil
    return block
  }

  private mutating func handle(_ information: UInt8) throws(CBORError) -> PluginPointer {
    guard try length(information) == 2 else { throw error("a handle of other than 2 elements") }
    let name = try name()
    let (major, information) = try first()
    guard major == CBOR.Major.unsigned, let number = UInt(exactly: try number(information)), number != 0 else {
      throw error("a handle without a number")
    }
    guard let handles else { return PluginPointer(name: name, address: number) }
    guard let handle = handles.lease(name, number) else { throw error("a handle of another worker") }
    return handle
  }

  private mutating func members(_ information: UInt8, depth: Int) throws(CBORError) -> [PluginMember] {
    let length = try length(information)
    guard length.isMultiple(of: 2) else { throw error("an object with a name without a value") }
    var members: [PluginMember] = []
    // Compared as bytes: Swift takes texts for equal that only look the same.
    var names: Set<[UInt8]> = []
    for _ in 0..<length / 2 {
      let name = try name()
      guard names.insert(Array(name.utf8)).inserted else { throw error("an object with two members of one name") }
      members.append(PluginMember(name, try value(depth: depth + 1)))
    }
    return members
  }

  private mutating func name() throws(CBORError) -> String {
    let (major, information) = try first()
    guard major == CBOR.Major.text else { throw error("a name that is not text") }
    return try text(information)
  }

  private mutating func simple(_ information: UInt8) throws(CBORError) -> PluginValue {
    switch information {
    case CBOR.Simple.false: return .bool(false)
    case CBOR.Simple.true: return .bool(true)
    case CBOR.Simple.null: return .void
    case CBOR.Simple.half: return double(HalfPrecision.double(half: UInt16(try bigEndian(width: 2))))
    case CBOR.Simple.single:
      let single = UInt32(try bigEndian(width: 4))
      guard HalfPrecision.half(exactly: single) == nil else { throw error("a float that is not in its shortest form") }
      return double(HalfPrecision.double(single: single))
    case CBOR.Simple.double:
      let pattern = try bigEndian(width: 8)
      guard HalfPrecision.single(exactly: pattern) == nil else {
        throw error("a float that is not in its shortest form")
      }
      return double(pattern)
    default: throw error("the simple value \(information), which has no meaning here")
    }
  }

  private func double(_ pattern: UInt64) -> PluginValue { .double(Double(bitPattern: pattern)) }
}

/// Reading the elements of an array one by one, without a value for the array.
extension CBORDecoder {
  /// Begins an array, and returns the number of its elements; `nil` if something else is next.
  mutating func arrayCount() throws(CBORError) -> Int? {
    guard let information = try head(of: CBOR.Major.array) else { return nil }
    return try length(information)
  }

  /// Reads a number; `nil` if something else is next.
  mutating func unsigned() throws(CBORError) -> UInt64? {
    guard let information = try head(of: CBOR.Major.unsigned) else { return nil }
    return try number(information)
  }

  /// Reads a truth value; `nil` if something else is next.
  mutating func bool() throws(CBORError) -> Bool? {
    switch try head(of: CBOR.Major.simple) {
    case CBOR.Simple.true: true
    case CBOR.Simple.false: false
    default: nil
    }
  }

  /// Reads an element of such an array.
  mutating func element() throws(CBORError) -> PluginValue { try value(depth: 1) }

  /// Ends the bytes.
  ///
  /// - Throws: if some are left.
  func end() throws(CBORError) {
    guard remaining == 0 else { throw error("\(remaining) more bytes, expected the end") }
    guard usedFiles == files.count else { throw error("\(files.count - usedFiles) open files that no value is") }
  }

  private mutating func head(of expected: UInt8) throws(CBORError) -> UInt8? {
    count += 1
    guard count <= limit else { throw error("more than \(limit) values") }
    let (major, information) = try first()
    return major == expected ? information : nil
  }
}
