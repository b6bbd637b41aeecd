/// The numbers of items that are a great many.
public enum Scale {
  #if PROMISES_NO_REUSE
  /// Fewer in builds for ThreadSanitizer, which takes fifty times as long for each: there it is about who else looks,
  /// not about how many.
  public static let million = 20_000
  #else
  /// A million.
  public static let million = 1_000_000
  #endif
}
