/// The importance of a line of the log.
public enum LogLevel: Int32, Sendable, Comparable, CaseIterable {
  case debug = 1, info, warning, error

  /// Orders levels by importance: an error is the greatest.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
