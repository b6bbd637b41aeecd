extension Future: CustomStringConvertible, CustomDebugStringConvertible {
  /// The type and the state or outcome: `Future<Int, Never>(fulfilled(42))`.
  public var description: String { describe(result.map { "\($0)" } ?? "pending") }

  /// The description. For a pending future also the numbers of its callbacks, of callbacks whose interest keeps it from
  /// being asked to cancel, and of its handlers of cancel requests.
  public var debugDescription: String {
    guard let dependentCounts = cell.dependentCounts else { return description }
    return describe(
      "pending, \(dependentCounts.callbacks) callbacks, \(dependentCounts.interested) interested, "
        + "\(dependentCounts.cancelHandlers) for a request to cancel" + (dependentCounts.isSealed ? ", sealed" : ""))
  }

  private func describe(_ content: String) -> String { "\(Self.self)(\(content))" }
}

extension Future {
  /// A callback for the value.
  public typealias SuccessCallback = (Value) -> Void
  /// A callback for the error.
  public typealias ErrorCallback = (Failure) -> Void
  /// A callback for the outcome.
  public typealias ResultCallback = (FutureResult<Value, Failure>) -> Void
}
