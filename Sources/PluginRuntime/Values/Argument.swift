import Promises

/// One argument of a call: its content, and the name of its parameter where it is given by name.
///
/// Arguments without a name go to the parameters that no other argument names, in order. What is left over takes its
/// default.
public struct Argument: Sendable {
  /// What is passed.
  public enum Content: Sendable {
    /// A value as it is. An integer fits any parameter whose range holds it, and a float parameter that represents it
    /// exactly; a string fits `bytes` as its UTF-8. For a `promise<T>` it stands for a promise that is fulfilled with
    /// it.
    case value(PluginValue)
    /// Text that the parameter's type gives its meaning: "42" for an i32, "true" for a bool, itself for a str, its
    /// UTF-8 for bytes.
    case text(String)
    /// JSON that the parameter's type gives its meaning, exactly or not at all.
    case json(JSONText)
    /// What was read from a file or a pipe: bytes as they are; for a str or cstr they must be UTF-8; for the other
    /// types it is text, with white space around it left out.
    case contents([UInt8])
    /// A promise, for a `promise<T>`.
    case promise(Promise<PluginValue>)
    /// What a function may call, for an `fn(...)`.
    case callback(PluginCallback)
  }

  /// The parameter's name; `nil` for an argument given by position.
  public let name: String?
  /// What is passed.
  public let content: Content

  /// An argument, by name if one is given.
  public init(name: String? = nil, _ content: Content) {
    self.name = name
    self.content = content
  }

  /// A value given by position.
  public static func value(_ value: PluginValue) -> Argument { Argument(.value(value)) }
  /// Text given by position.
  public static func text(_ text: String) -> Argument { Argument(.text(text)) }
  /// What a function may call, given by position.
  public static func callback(_ body: @escaping @Sendable ([PluginValue]) throws -> PluginValue) -> Argument {
    Argument(.callback(PluginCallback(body)))
  }
}

extension Argument {
  /// The arguments of a call from JSON: those by position from an array, those by name from an object.
  public static func arguments(_ json: JSONText) throws(ArgumentMismatch) -> [Argument] {
    switch json {
    case .array(let elements): return elements.map { Argument(.json($0)) }
    case .object(let members): return members.map { Argument(name: $0.name, .json($0.value)) }
    default: throw ArgumentMismatch(message: "is \(json.name), expected an array or an object of arguments")
    }
  }
}
