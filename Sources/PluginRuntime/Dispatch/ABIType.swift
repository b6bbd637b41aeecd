/// The representation of a type at the boundary: a number for the switches in the call's inner loop.
enum ABIType: UInt8 {
  case bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, str, bytes, cstr, ownStr, ownBytes, promise
  /// An address, and an address that may be NULL.
  case pointer, nullablePointer
  /// A struct of scalars, by value.
  case structure
  /// No result.
  case void
  /// All other types, which only a general plan can pass.
  case other

  init(_ type: ValueType?) {
    self =
      switch type {
      case nil: .void
      case .scalar(let scalar): ABIType(scalar)
      case .str: .str
      case .bytes: .bytes
      case .cstr: .cstr
      case .own(.str, nil): .ownStr
      case .own(.bytes, nil): .ownBytes
      case .promise: .promise
      case .pointer: .pointer
      case .optional(.pointer): .nullablePointer
      case .structure where type?.isPlain ?? false: .structure
      default: .other
      }
  }

  private init(_ scalar: ScalarType) {
    self =
      switch (scalar.form, scalar.size) {
      case (.bool, _): .bool
      case (.signed, 1): .i8
      case (.signed, 2): .i16
      case (.signed, 4): .i32
      case (.signed, _): .i64
      case (.unsigned, 1): .u8
      case (.unsigned, 2): .u16
      case (.unsigned, 4): .u32
      case (.unsigned, _): .u64
      case (.float, 4): .f32
      case (.float, 8): .f64
      case (.float, _): .other
      }
  }

  /// Whether the argument lends the function memory, or a promise, for use until the function's own promise is settled.
  var isBorrowed: Bool { self == .str || self == .bytes || self == .cstr || self == .promise || self == .other }

  /// Whether the argument is copied or lent and consists of its value only.
  var isData: Bool { isNumber || [.str, .bytes, .cstr, .pointer, .nullablePointer, .structure].contains(self) }

  /// Whether the type is a bool, an integer or a float.
  var isNumber: Bool { rawValue <= ABIType.f64.rawValue }

  /// Whether `ResultLoad` can load it.
  var isLoadable: Bool { self != .structure && self != .other }
}
