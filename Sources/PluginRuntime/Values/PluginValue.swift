/// A value that goes into or comes out of a plugin's function.
public enum PluginValue: Sendable, Equatable {
  /// What a function without a result gives, and what is absent: the NULL of a `T?`.
  case void
  case bool(Bool)
  /// i8, i16, i32, i64 and isize.
  case int(Int64)
  /// u8, u16, u32, u64 and usize.
  case uint(UInt64)
  /// f32 and f64.
  case double(Double)
  /// str and cstr.
  case string(String)
  case bytes([UInt8])
  /// `ptr<Name>`.
  case pointer(PluginPointer)
  /// Arrays and slices.
  case array([PluginValue])
  /// Structs, and the results of functions with `out` parameters.
  case object([PluginMember])
}

/// An address that a plugin gave, and what its signature calls it.
public struct PluginPointer: Sendable, Hashable {
  /// The Name of `ptr<Name>`.
  public let name: String
  /// Never 0: NULL is `.void`.
  public let address: UInt

  /// An address with the name that signatures give it.
  public init(name: String, address: UInt) {
    self.name = name
    self.address = address
  }
}

/// One member of an object, or field of a struct.
public struct PluginMember: Sendable, Equatable {
  /// Unique in its object.
  public let name: String
  /// What it holds.
  public let value: PluginValue

  /// A member of that name.
  public init(_ name: String, _ value: PluginValue) {
    self.name = name
    self.value = value
  }
}

extension PluginValue {
  /// The value of a member of an object; `nil` if there is none of that name, or this is no object.
  public subscript(member member: String) -> PluginValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == member }?.value
  }
}
