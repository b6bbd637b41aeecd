// Conversion of values whose type is known only at run time: reasons, and values made by C.

extension CellValue {
  /// Converts a reason to a cell's value; `nil` is VOID.
  @usableFromInline
  static func encoding(reason: Any?) -> CellValue {
    guard let reason else { return .void }
    return encodingKnown(reason) ?? .object(SwiftBox<Any>(reason), isError: reason is any Error)
  }

  /// Converts an error to a cell's value. A reason that was wrapped to conform to Error is stored unwrapped.
  @usableFromInline
  static func encoding(error: any Error) -> CellValue {
    if type(of: error) == RejectionReason.self { return unsafe .encoding(reason: (error as! RejectionReason).reason) }
    return encodingKnown(error) ?? .object(ErrorBox(error), isError: true)
  }

  /// Converts a reason to the kind of its type; `nil` if the type has none.
  @usableFromInline
  static func encodingKnown(_ reason: Any) -> CellValue? {
    // Exact types only: an Optional or an existential in the reason must keep its type.
    let type = type(of: reason)
    if type == Discarded.self { return CellValue(kind: .discarded) }
    if type == PromiseError.self { return .error(reason as! PromiseError) }
    if type == Int.self { return i64(Int64(reason as! Int)) }
    if type == Bool.self { return CellValue(kind: .bool, bits: reason as! Bool ? 1 : 0) }
    if type == Double.self { return CellValue(kind: .f64, bits: (reason as! Double).bitPattern) }
    if type == String.self { return .string(reason as! String) }
    if type == ForeignObject.self { return (reason as! ForeignObject).retained }
    return collection(reason)
  }

  /// The value as a reason; VOID is `nil`.
  @usableFromInline
  var reason: Any? {
    kind == ValueKind.void.rawValue ? nil : any
  }

  /// The value as the Swift type of its kind, or the content of its box.
  @usableFromInline
  var any: Any { any(level: 0) }

  /// Converts a value at the given nesting depth in collections.
  func any(level: Int) -> Any {
    if let swiftBox { return swiftBox.any }
    switch ValueKind(rawValue: kind) {
    case .bool: return bits & 0xff != 0
    case .i64: return Int(truncatingIfNeeded: bits)
    case .u64: return UInt(truncatingIfNeeded: bits)
    case .f64: return Double(bitPattern: bits)
    case .pointer: return unsafe pointer as Any
    case .string: return unsafe String(decoding: bytes, as: UTF8.self)
    case .bytes: return unsafe [UInt8](bytes)
    case .array, .map: return collection(level: level)
    case .error: return PromiseError(self)
    case .discarded: return Discarded.discarded
    case .promise:
      _ = owner.retain()
      return Promise<Any>(cell: owner)
    case .object: return ForeignObject(self)
    default: return ()
    }
  }

  /// The content of a STRING or BYTES, or an ERROR's message. Valid as long as the value.
  var bytes: UnsafeRawBufferPointer {
    let box = Box(owner)
    return unsafe UnsafeRawBufferPointer(start: box.data, count: box.count)
  }

  @usableFromInline
  static func string(_ string: String) -> CellValue {
    var string = string
    return string.withUTF8 { unsafe made(Box.bytes(.string, UnsafeRawBufferPointer($0))) }
  }

  @usableFromInline
  static func bytes(_ bytes: [UInt8]) -> CellValue {
    unsafe bytes.withUnsafeBytes { unsafe made(Box.bytes(.bytes, $0)) }
  }

  /// Makes a PROMISE to follow. The value owns a reference of its own.
  @usableFromInline
  static func promise(_ promise: AnyPromise) -> CellValue { .promise(promise.cell) }

  @usableFromInline
  static func promise(_ cell: CellRef) -> CellValue {
    _ = cell.retain()
    return CellValue(kind: .promise, bits: cell.token.bits)
  }

  static func made(_ value: CellValue?) -> CellValue {
    guard let value else { fatalError("no memory for a value") }
    return value
  }
}
