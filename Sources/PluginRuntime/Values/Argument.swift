import Promises

/// An argument of a call: its content, and its parameter's name if it is passed by name.
///
/// Positional arguments are assigned, in order, to the parameters that no named argument takes. The remaining
/// parameters get their defaults.
public struct Argument: Sendable {
  /// The content of an argument.
  public enum Content: Sendable {
    /// A typed value. An integer fits every parameter whose range contains it, and every float parameter that
    /// represents it exactly. A string fits `bytes`, as its UTF-8. For a `promise<T>`, the value becomes a promise that
    /// is fulfilled with it.
    case value(PluginValue)
    /// Text, converted to the parameter's type: "42" for an i32, "true" for a bool; unchanged for a str, as UTF-8 for
    /// bytes.
    case text(String)
    /// JSON, converted to the parameter's type, or rejected if it does not fit exactly.
    case json(JSONText)
    /// The content of a file or a pipe: raw for bytes, and as UTF-8 for a str or cstr. For other types it is text,
    /// without the white space around it.
    case contents([UInt8])
    /// Bytes in shared memory, used as those of a `value` or of `contents`; a parameter of bytes gets them without a
    /// copy.
    case shared(SharedBytes, isContents: Bool = false)
    /// A promise, for a `promise<T>`.
    case promise(Promise<PluginValue>)
    /// A callback, for an `fn(...)`.
    case callback(PluginCallback)
  }

  /// The parameter's name; `nil` for a positional argument.
  public let name: String?
  /// The content.
  public let content: Content

  /// Creates an argument, named or positional.
  public init(name: String? = nil, _ content: Content) {
    self.name = name
    self.content = content
  }

  /// Returns a positional argument with a value.
  public static func value(_ value: PluginValue) -> Argument { Argument(.value(value)) }
  /// Returns a positional argument with text.
  public static func text(_ text: String) -> Argument { Argument(.text(text)) }
  /// Returns a positional argument with a callback.
  public static func callback(_ body: @escaping @Sendable ([PluginValue]) throws -> PluginValue) -> Argument {
    Argument(.callback(PluginCallback(body)))
  }
}

extension Argument {
  /// Converts JSON to arguments: an array to positional ones, an object to named ones.
  public static func arguments(_ json: JSONText) throws(ArgumentMismatch) -> [Argument] {
    switch json {
    case .array(let elements): return elements.map { Argument(.json($0)) }
    case .object(let members): return members.map { Argument(name: $0.name, .json($0.value)) }
    default: throw ArgumentMismatch(message: "is \(json.name), expected an array or an object of arguments")
    }
  }
}
