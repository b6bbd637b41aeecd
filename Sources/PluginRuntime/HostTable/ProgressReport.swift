/// How far the work of a call is.
public struct ProgressReport: Sendable, Equatable {
  public let plugin: String
  public let function: String
  /// The call, unlike any other of this process.
  public let call: UInt64
  /// From 0 to 1; `nil` if unknown.
  public let fraction: Double?
  public let message: String?
}
