/// The type of a parameter or a result, as signatures name it.
public enum ValueType: Sendable, Equatable {
  case bool
  case i8, i16, i32, i64
  case u8, u16, u32, u64
  case f32, f64
  case usize
  case str, bytes, cstr
  case ownStr, ownBytes
  /// `promise<T>`; `nil` is `promise<void>`.
  indirect case promise(ValueType?)
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
    case .f32: "f32"
    case .f64: "f64"
    case .usize: "usize"
    case .str: "str"
    case .bytes: "bytes"
    case .cstr: "cstr"
    case .ownStr: "own str"
    case .ownBytes: "own bytes"
    case .promise(let element): "promise<\(element?.description ?? "void")>"
    }
  }
}
