/// A type of numbers or truth values: one word of a signature, one row of `facts`.
///
/// Layout, libffi type, ranges, loads and stores, literals, JSON, messages and C declarations follow from the row, if
/// another type has the form and the size. docs/architecture.md lists the files for a new size.
public enum ScalarType: String, Sendable, Hashable, CaseIterable {
  case bool
  case i8, i16, i32, i64
  case u8, u16, u32, u64
  case usize, isize
  case f32, f64, f64x

  /// The representation of a type's values.
  public enum Form: Sendable {
    case bool, signed, unsigned, float
  }

  /// The form, the size in bytes, and the type in C. Inlined, so that a use of one of them does not load the others.
  @inline(__always) private var facts: (form: Form, size: Int, c: String) {
    switch self {
    case .bool: (.bool, 1, "bool")
    case .i8: (.signed, 1, "int8_t")
    case .i16: (.signed, 2, "int16_t")
    case .i32: (.signed, 4, "int32_t")
    case .i64: (.signed, 8, "int64_t")
    case .u8: (.unsigned, 1, "uint8_t")
    case .u16: (.unsigned, 2, "uint16_t")
    case .u32: (.unsigned, 4, "uint32_t")
    case .u64: (.unsigned, 8, "uint64_t")
    case .usize: (.unsigned, MemoryLayout<UInt>.size, "size_t")
    case .isize: (.signed, MemoryLayout<Int>.size, "ptrdiff_t")
    case .f32: (.float, 4, "float")
    case .f64: (.float, 8, "double")
    // 80 bits on x86-64, 128 on arm64; both have 16 bytes.
    case .f64x: (.float, 16, "long double")
    }
  }

  /// The representation of the values.
  public var form: Form { facts.form }
  /// The size in bytes.
  public var size: Int { facts.size }
  /// The type as C declares it.
  var cName: String { facts.c }
  /// The alignment in bytes.
  var alignment: Int { size }

  var isInteger: Bool { form == .signed || form == .unsigned }
  /// Whether a variadic C function takes the type as it is, without promoting it.
  var isPassedUnpromoted: Bool { size >= (form == .float ? 8 : 4) }

  /// The number of bits of a word that the type leaves unused.
  package var unusedBits: Int { 64 - 8 * size }
  /// The range of a signed integer type; `nil` for all other types.
  var signedRange: ClosedRange<Int64>? {
    form == .signed ? Int64.min >> unusedBits...Int64.max >> unusedBits : nil
  }
  /// The range of an unsigned integer type; `nil` for all other types.
  var unsignedRange: ClosedRange<UInt64>? { form == .unsigned ? 0...UInt64.max >> unusedBits : nil }
  /// The least and the greatest number of an integer type; `nil` for all other types.
  public var limits: (least: PluginValue, greatest: PluginValue)? {
    signedRange.map { (.int($0.lowerBound), .int($0.upperBound)) }
      ?? unsignedRange.map { (.uint($0.lowerBound), .uint($0.upperBound)) }
  }
}

extension ValueType {
  /// `bool`: true or false, one byte in C.
  public static var bool: ValueType { .scalar(.bool) }
  /// `i8`: a signed integer of 8 bits.
  public static var i8: ValueType { .scalar(.i8) }
  /// `i16`: a signed integer of 16 bits.
  public static var i16: ValueType { .scalar(.i16) }
  /// `i32`: a signed integer of 32 bits.
  public static var i32: ValueType { .scalar(.i32) }
  /// `i64`: a signed integer of 64 bits.
  public static var i64: ValueType { .scalar(.i64) }
  /// `u8`: an unsigned integer of 8 bits.
  public static var u8: ValueType { .scalar(.u8) }
  /// `u16`: an unsigned integer of 16 bits.
  public static var u16: ValueType { .scalar(.u16) }
  /// `u32`: an unsigned integer of 32 bits.
  public static var u32: ValueType { .scalar(.u32) }
  /// `u64`: an unsigned integer of 64 bits.
  public static var u64: ValueType { .scalar(.u64) }
  /// `usize`: C's `size_t`.
  public static var usize: ValueType { .scalar(.usize) }
  /// `isize`: C's `ptrdiff_t` and `ssize_t`.
  public static var isize: ValueType { .scalar(.isize) }
  /// `f32`: C's `float`.
  public static var f32: ValueType { .scalar(.f32) }
  /// `f64`: C's `double`.
  public static var f64: ValueType { .scalar(.f64) }
  /// `f64x`: C's `long double`, whose values are rounded to those of a `double`.
  public static var f64x: ValueType { .scalar(.f64x) }

  /// The type as a scalar; `nil` for all others.
  public var scalar: ScalarType? { if case .scalar(let scalar) = self { scalar } else { nil } }
  var signedRange: ClosedRange<Int64>? { scalar?.signedRange }
  var unsignedRange: ClosedRange<UInt64>? { scalar?.unsignedRange }
  var isInteger: Bool { scalar?.isInteger ?? false }
  var isScalar: Bool { scalar != nil }
}
