extension Future: CustomStringConvertible, CustomDebugStringConvertible {
  /// The type, and how the future ended: `Future<Int, Never>(fulfilled(42))`.
  public var description: String { describe(result.map { "\($0)" } ?? "pending") }

  /// The same; of a pending future also how many callbacks wait for it, how many of those keep it from being asked to
  /// cancel, and how many callbacks wait for such a request.
  public var debugDescription: String {
    guard let census = cell.census else { return description }
    return describe(
      "pending, \(census.callbacks) callbacks, \(census.interested) interested, "
        + "\(census.cancelHandlers) for a request to cancel" + (census.isSealed ? ", sealed" : ""))
  }

  private func describe(_ content: String) -> String { "\(Self.self)(\(content))" }
}

extension Future {
  /// What a callback for the value is.
  public typealias SuccessCallback = (Value) -> Void
  /// What a callback for the error is.
  public typealias ErrorCallback = (Failure) -> Void
  /// What a callback for any result is.
  public typealias ResultCallback = (FutureResult<Value, Failure>) -> Void
}
