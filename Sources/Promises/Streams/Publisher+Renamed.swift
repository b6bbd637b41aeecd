// The names that other libraries have for publishing.
extension Publisher {
  /// Unavailable: use `publish(_:)`.
  @available(*, unavailable, renamed: "publish(_:)")
  public final func send(_ value: Value) { fatalError("unavailable") }
}
