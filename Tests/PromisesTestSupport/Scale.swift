/// Numbers of items for tests of large numbers.
public enum Scale {
  #if PROMISES_NO_REUSE
  /// Fewer than a million in builds for ThreadSanitizer, which takes fifty times as long for each item, and which looks
  /// for races, not for limits of numbers.
  public static let million = 20_000
  #else
  /// A million.
  public static let million = 1_000_000
  #endif
}
