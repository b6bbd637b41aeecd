/// The type of a parameter or a result, as signatures name it.
public enum ValueType: Sendable, Equatable {
  case bool
  case i8, i16, i32, i64
  case u8, u16, u32, u64
  case usize
  case f32, f64
  case str, bytes, cstr
  case ownStr, ownBytes
  /// `promise<T>`; `nil` is `promise<void>`.
  indirect case promise(ValueType?)

  /// The types that are one word, which are also those that a promise can hold.
  static let simple: [ValueType] = [
    .bool, .i8, .i16, .i32, .i64, .u8, .u16, .u32, .u64, .usize, .f32, .f64, .str, .bytes, .cstr,
  ]

  /// The numbers that a signed integer type holds; `nil` for every other type.
  var signedRange: ClosedRange<Int64>? {
    switch self {
    case .i8: -0x80...0x7F
    case .i16: -0x8000...0x7FFF
    case .i32: -0x8000_0000...0x7FFF_FFFF
    case .i64: .min ... .max
    default: nil
    }
  }

  /// The numbers that an unsigned integer type holds; `nil` for every other type.
  var unsignedRange: ClosedRange<UInt64>? {
    switch self {
    case .u8: 0...0xFF
    case .u16: 0...0xFFFF
    case .u32: 0...0xFFFF_FFFF
    case .u64: 0 ... .max
    case .usize: 0...UInt64(UInt.max)
    default: nil
    }
  }
}

extension ValueType: CustomStringConvertible {
  /// The type as a signature writes it: "own str", "promise<i32>".
  public var description: String {
    switch self {
    case .bool: "bool"
    case .i8: "i8"
    case .i16: "i16"
    case .i32: "i32"
    case .i64: "i64"
    case .u8: "u8"
    case .u16: "u16"
    case .u32: "u32"
    case .u64: "u64"
    case .usize: "usize"
    case .f32: "f32"
    case .f64: "f64"
    case .str: "str"
    case .bytes: "bytes"
    case .cstr: "cstr"
    case .ownStr: "own str"
    case .ownBytes: "own bytes"
    case .promise(let element): "promise<\(element?.description ?? "void")>"
    }
  }
}
