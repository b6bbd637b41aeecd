/// The importance of a line of the log.
public enum LogLevel: Int32, Sendable, Comparable, CaseIterable {
  case debug = 1, info, warning, error

  /// The more important is the greater.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
