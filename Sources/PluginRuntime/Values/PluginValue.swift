/// A value that goes into or comes out of a plugin's function.
public enum PluginValue: Sendable, Equatable {
  /// What a function without a result gives.
  case void
  case bool(Bool)
  /// i8, i16, i32 and i64.
  case int(Int64)
  /// u8, u16, u32, u64 and usize.
  case uint(UInt64)
  /// f32 and f64.
  case double(Double)
  /// str and cstr.
  case string(String)
  case bytes([UInt8])
}
