import Promises

extension PluginValue {
  /// Converts the reason of a rejection, or a part of one, to a value.
  ///
  /// Members of a map are sorted by name. An error becomes an object of its domain, code and message; an address
  /// becomes its hexadecimal digits, and anything else without a value the text that describes it.
  public init(reason: Any) {
    switch reason {
    case let value as PluginValue: self = value
    case is Void: self = .void
    case let value as Bool: self = .bool(value)
    case let value as Int: self = .int(Int64(value))
    case let value as Int64: self = .int(value)
    case let value as UInt: self = .uint(UInt64(value))
    case let value as UInt64: self = .uint(value)
    case let value as Double: self = .double(value)
    case let value as String: self = .string(value)
    // An empty array of any type can be cast to [UInt8].
    case let value as [UInt8] where type(of: reason) == [UInt8].self: self = .bytes(value)
    case let elements as [Any]: self = .array(elements.map(PluginValue.init(reason:)))
    case let members as [String: Any]:
      let sorted = members.sorted { $0.key < $1.key }
      self = .object(sorted.map { PluginMember($0.key, PluginValue(reason: $0.value)) })
    case let error as PromiseError:
      self = .error(domain: error.domain, code: error.code, message: error.message)
    case let address as UnsafeMutableRawPointer:
      self = .string("0x\(String(UInt(bitPattern: address), radix: 16))")
    case let object as ForeignObject: self = .string("an object of type \"\(object.typeName)\"")
    default: self = .string("\(reason)")
    }
  }

  /// Returns the object that stands for an error.
  static func error(domain: String, code: Int64, message: String) -> PluginValue {
    .object([
      PluginMember("domain", .string(domain)), PluginMember("code", .int(code)),
      PluginMember("message", .string(message)),
    ])
  }
}
