/// The description of a plugin, from its descriptor.
public struct PluginDescription: Sendable, Equatable {
  /// The absolute path of its file, symbolic links resolved.
  public let path: String
  /// Unique among the plugins of a host: "org.example.digest".
  public let id: String
  /// The plugin's own version: "1.4.0".
  public let version: String
  /// A description in one line, for people.
  public let description: String?
  /// The ids of the plugins that it calls.
  public let required: [String]
  /// The versions of the host's ABI that it works with.
  public let abi: ClosedRange<UInt32>
  /// The functions, in the order of the plugin's table.
  public let functions: [FunctionDescription]
  /// The adoption that made a plugin of an ordinary library; `nil` for a plugin.
  public internal(set) var adoption: Adoption?

  /// Returns whether a text can be an id: letters and digits of ASCII, '.', '-' and '_'; not empty.
  public static func isID(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Returns the error for a function that the plugin does not have.
  func unknownFunction(_ function: String) -> PluginError {
    let names = functions.map(\.name).joined(separator: ", ")
    return PluginError(
      .unknownFunction, id, "has no function '\(function)'; it has \(names.isEmpty ? "none" : names)")
  }
}

/// One function of a plugin.
public struct FunctionDescription: Sendable, Equatable {
  /// The parameters and the result.
  public let signature: Signature
  /// A description in one line, for people.
  public let description: String?

  /// The name, unique in the plugin.
  public var name: String { signature.name }
}
