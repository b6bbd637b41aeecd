/// What a plugin says about itself.
public struct PluginDescription: Sendable, Equatable {
  /// The absolute path of its file, symbolic links resolved.
  public let path: String
  public let id: String
  public let version: String
  public let description: String?
  /// The ids of the plugins that it calls.
  public let required: [String]
  /// The versions of the host's ABI that it works with.
  public let abi: ClosedRange<UInt32>
  public let functions: [FunctionDescription]
}

/// One function of a plugin.
public struct FunctionDescription: Sendable, Equatable {
  public let signature: Signature
  public let description: String?

  public var name: String { signature.name }
}
