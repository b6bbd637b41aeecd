/// The code that new calls of a plugin in worker processes run, until the next reload.
///
/// If a plugin has the same generation before and after a call, that generation has made the call.
public struct PluginGeneration: Sendable {
  /// The number of plugin generations before this one: of reloads.
  public let number: Int
  /// The plugin's own description of itself.
  public let description: PluginDescription
  let file: KeptFile?

  /// The path of the sealed copy of the plugin's file that the workers load, as long as this value exists; `nil` if
  /// they read the file at its path.
  public var copy: String? { file.map { "/proc/self/fd/\($0.descriptor)" } }
}
