/// The progress of a call.
public struct ProgressReport: Sendable, Equatable {
  /// The id of the reporting plugin.
  public let plugin: String
  /// The function that was called.
  public let function: String
  /// The number of the call, unique in this process.
  public let call: UInt64
  /// The completed part, from 0 to 1; `nil` if unknown.
  public let fraction: Double?
  /// A text for display; `nil` if the plugin gave none.
  public let message: String?
}
