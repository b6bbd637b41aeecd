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
  /// `fd`.
  case file(OpenFile)
  /// Arrays and slices.
  case array([PluginValue])
  /// Structs, and the results of functions with `out` parameters.
  case object([PluginMember])
}

/// An address from a plugin, with the type name from its signature.
///
/// The result of a function that passes the ownership of an object, `own(f) ptr<Name>`, is a reference to the object: f
/// is called once, on a thread of the library's pool, after the last copy was released. If the plugin runs in a worker
/// process, the pointer is a handle, and the worker does the same. Two pointers are equal if their names and addresses
/// are.
public struct PluginPointer: Sendable, Hashable {
  /// The Name in `ptr<Name>`.
  public let name: String
  /// The address, never 0: NULL is `.void`.
  public let address: UInt
  /// The object that the host owns, or the lease of a handle (`HandleLeases`): released with the last copy.
  private let reference: (AnyObject & Sendable)?

  /// Whether the number is a handle of a worker process, by its highest bits, rather than an address of this one.
  var isHandle: Bool { address >> 62 == 1 }

  /// Creates an address with its type name. The address is not checked.
  public init(name: String, address: UInt) { self.init(name: name, address: address, reference: nil) }

  init(name: String, address: UInt, reference: (AnyObject & Sendable)?) {
    self.name = name
    self.address = address
    self.reference = reference
  }

  /// The object, if the host owns it.
  var object: PluginObject? { reference as? PluginObject }

  /// Whether the host owns the object, and destroys it with its last reference. False for a handle of a worker, which
  /// owns the object.
  public var isOwned: Bool { object != nil }

  /// Compares names and addresses.
  public static func == (left: PluginPointer, right: PluginPointer) -> Bool {
    left.name == right.name && left.address == right.address
  }

  /// Hashes the name and the address.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(address)
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
  /// The value of an object's member; `nil` without such a member, and for other values than objects.
  public subscript(member member: String) -> PluginValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == member }?.value
  }
}
