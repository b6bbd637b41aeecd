/// The code that new calls of a plugin in worker processes run, until the next reload.
///
/// A call that was made while a plugin had the same generation before and after it was made by that generation.
public struct PluginGeneration: Sendable {
  /// The number of generations before this one.
  public let number: Int
  /// The plugin's own description of itself.
  public let description: PluginDescription
  let file: KeptFile?

  /// The path of the sealed copy of the plugin's file that the workers load, as long as this value exists; `nil` if
  /// they read the file at its path.
  public var copy: String? { file.map { "/proc/self/fd/\($0.descriptor)" } }
}
