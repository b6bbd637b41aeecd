/// An argument or a result of a plugin's function.
public enum PluginValue: Sendable, Equatable {
  /// The result of a function without one, and an absent value: the NULL of a `T?`.
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

/// An address from a plugin, with the type name from its signature.
public struct PluginPointer: Sendable, Hashable {
  /// The Name in `ptr<Name>`.
  public let name: String
  /// The address, never 0: NULL is `.void`.
  public let address: UInt

  /// Creates an address with its type name.
  public init(name: String, address: UInt) {
    self.name = name
    self.address = address
  }
}

/// A member of an object, or a field of a struct.
public struct PluginMember: Sendable, Equatable {
  /// The name, unique in the object.
  public let name: String
  /// The value.
  public let value: PluginValue

  /// Creates a member.
  public init(_ name: String, _ value: PluginValue) {
    self.name = name
    self.value = value
  }
}

extension PluginValue {
  /// The value of an object's member; `nil` if there is no such member, or this is no object.
  public subscript(member member: String) -> PluginValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == member }?.value
  }
}
