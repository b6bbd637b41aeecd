/// How a value crosses into C or back: a type of the signature as a number, which the call's inner loop can switch on.
enum Crossing: UInt8 {
  case bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, str, bytes, cstr, ownStr, ownBytes, promise
  /// An address, and one that may be NULL.
  case pointer, nullablePointer
  /// A struct of scalars, by value.
  case structure
  /// No result.
  case void
  /// Everything else: what only a general plan passes.
  case other

  init(_ type: ValueType?) {
    self =
      switch type {
      case nil: .void
      case .bool: .bool
      case .i8: .i8
      case .i16: .i16
      case .i32: .i32
      case .i64, .isize: .i64
      case .u8: .u8
      case .u16: .u16
      case .u32: .u32
      case .u64, .usize: .u64
      case .f32: .f32
      case .f64: .f64
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

  /// Whether an argument lends the function memory, or a promise, that it may use until its own promise is settled.
  var isBorrowed: Bool { self == .str || self == .bytes || self == .cstr || self == .promise || self == .other }

  /// Whether an argument is copied or lent, and nothing but its value is asked for.
  var isData: Bool { isNumber || [.str, .bytes, .cstr, .pointer, .nullablePointer, .structure].contains(self) }

  /// Whether it is a bool, an integer or a float.
  var isNumber: Bool { rawValue <= Crossing.f64.rawValue }

  /// Whether `ResultLoad` makes a value of it.
  var isLoadable: Bool { self != .structure && self != .other }
}
