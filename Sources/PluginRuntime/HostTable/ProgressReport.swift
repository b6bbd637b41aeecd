/// The progress of a call.
public struct ProgressReport: Sendable, Equatable {
  /// The id of the plugin that is at work.
  public let plugin: String
  /// The function that was called.
  public let function: String
  /// The call, unlike any other of this process.
  public let call: UInt64
  /// From 0 to 1; `nil` if unknown.
  public let fraction: Double?
  /// The current work, for people; `nil` if the plugin does not say.
  public let message: String?
}
