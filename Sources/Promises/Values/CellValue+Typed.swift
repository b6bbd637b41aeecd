// The representation of Swift values in a cell. Numbers, Bool, Void, String, [UInt8], [Any] and [String: Any] have
// kinds that C reads directly. Other types are stored as an OBJECT. A POINTER made by C is read as a pointer. In
// specialised code the type tests are decided at compile time.

extension CellValue {
  @inlinable @inline(__always)
  static func encoding<T>(_ value: T) -> CellValue {
    if T.self == Int.self { return i64(Int64(cast(value, to: Int.self))) }
    if T.self == Void.self { return .void }
    if T.self == Bool.self { return CellValue(kind: .bool, bits: cast(value, to: Bool.self) ? 1 : 0) }
    if T.self == Double.self { return CellValue(kind: .f64, bits: cast(value, to: Double.self).bitPattern) }
    if T.self == Int64.self { return i64(cast(value, to: Int64.self)) }
    if T.self == UInt64.self { return CellValue(kind: .u64, bits: cast(value, to: UInt64.self)) }
    if T.self == UInt.self { return CellValue(kind: .u64, bits: UInt64(cast(value, to: UInt.self))) }
    return encodingOther(value)
  }

  @inlinable
  static func encodingOther<T>(_ value: T) -> CellValue {
    if T.self == Int32.self { return i64(Int64(cast(value, to: Int32.self))) }
    if T.self == Int16.self { return i64(Int64(cast(value, to: Int16.self))) }
    if T.self == Int8.self { return i64(Int64(cast(value, to: Int8.self))) }
    if T.self == UInt32.self { return CellValue(kind: .u64, bits: UInt64(cast(value, to: UInt32.self))) }
    if T.self == UInt16.self { return CellValue(kind: .u64, bits: UInt64(cast(value, to: UInt16.self))) }
    if T.self == UInt8.self { return CellValue(kind: .u64, bits: UInt64(cast(value, to: UInt8.self))) }
    if T.self == Float.self { return CellValue(kind: .f64, bits: Double(cast(value, to: Float.self)).bitPattern) }
    if T.self == String.self { return .string(cast(value, to: String.self)) }
    if T.self == [UInt8].self { return .bytes(cast(value, to: [UInt8].self)) }
    if T.self == ForeignObject.self { return cast(value, to: ForeignObject.self).retained }
    if T.self == [Any].self { return .array(cast(value, to: [Any].self)) }
    if T.self == [String: Any].self { return .map(cast(value, to: [String: Any].self)) }
    return .object(SwiftBox(value))
  }

  /// Returns the value as a `T`; `nil` if it has another type, as it may if C settled the promise.
  @inlinable @inline(__always)
  package func decoded<T>(as type: T.Type) -> T? {
    if T.self == Int.self, kind == ValueKind.i64.rawValue {
      return CellValue.cast(Int(truncatingIfNeeded: bits), to: T.self)
    }
    if T.self == Void.self, kind == ValueKind.void.rawValue { return CellValue.cast((), to: T.self) }
    if T.self == Bool.self, kind == ValueKind.bool.rawValue { return CellValue.cast(bits & 0xff != 0, to: T.self) }
    if T.self == Double.self, kind == ValueKind.f64.rawValue {
      return CellValue.cast(Double(bitPattern: bits), to: T.self)
    }
    return decodedOther(as: T.self)
  }

  @inlinable
  func decodedOther<T>(as type: T.Type) -> T? {
    if let box = swiftBox {
      if let box = box as? SwiftBox<T> { return box.value }
      if T.self == (any Error).self, let box = box as? ErrorBox {
        // With `as`, the existential itself is cast, and not the error in it.
        return CellValue.cast(box.error as any Error, to: T.self)
      }
      return box.any as? T
    }
    if let number = integer(as: T.self) { return number }
    if T.self == Float.self, kind == ValueKind.f64.rawValue {
      return CellValue.cast(Float(Double(bitPattern: bits)), to: T.self)
    }
    // The remaining cases are decided by a dynamic cast: a promise settled by C, or one whose value type is a supertype
    // of the stored value's.
    return any as? T
  }

  /// Returns an integer of either kind, if the type can represent it.
  @inlinable
  func integer<T>(as type: T.Type) -> T? {
    guard let type = T.self as? any FixedWidthInteger.Type else { return nil }
    switch ValueKind(rawValue: kind) {
    case .i64: return type.init(exactly: Int64(bitPattern: bits)) as? T
    case .u64: return type.init(exactly: bits) as? T
    default: return nil
    }
  }

  /// Returns the value as a `T`.
  ///
  /// - Throws: `PromiseError` with both types, if the value has another type.
  @inlinable @inline(__always)
  func required<T>(as type: T.Type) throws -> T {
    guard let value = decoded(as: T.self) else { throw mismatch(T.self) }
    return value
  }

  @usableFromInline
  func mismatch<T>(_ type: T.Type) -> PromiseError {
    let name =
      unsafe TypeRegistry.name(TypeRegistry.type(of: self)).map { unsafe String(cString: $0) }
      ?? "value of no known kind"
    return PromiseError(
      domain: "promise", code: -1, message: "expected a value of type \(T.self), but the promise holds a \(name)")
  }

  @inlinable @inline(__always)
  static func i64(_ number: Int64) -> CellValue { CellValue(kind: .i64, bits: UInt64(bitPattern: number)) }

  /// Casts a value to the type that it is known to have.
  @inlinable @inline(__always)
  static func cast<From, To>(_ value: From, to type: To.Type) -> To { unsafe unsafeBitCast(value, to: To.self) }
}
