extension FutureResult: Equatable where Value: Equatable, Failure: Equatable {
  /// Returns true if both are the same outcome. Two cancellations are equal if neither has an indirect error, or if
  /// both errors have the same type and, where the type is `Equatable`, are equal.
  public static func == (one: FutureResult, other: FutureResult) -> Bool {
    switch (one, other) {
    case (.fulfilled(let one), .fulfilled(let other)): one == other
    case (.rejected(let one), .rejected(let other)): one == other
    case (.cancelled(nil), .cancelled(nil)): true
    case (.cancelled(let one?), .cancelled(let other?)): areEqual(one, other)
    default: false
    }
  }

  private static func areEqual(_ one: any Error, _ other: any Error) -> Bool {
    // Before the cast: an object of a subclass would also be one of the class, but not the reverse.
    guard type(of: one) == type(of: other) else { return false }
    guard let one = one as? any Equatable else { return true }
    return areEqual(one, other)
  }

  private static func areEqual<T: Equatable>(_ one: T, _ other: any Error) -> Bool {
    one == other as? T
  }
}

extension FutureResult: Hashable where Value: Hashable, Failure: Hashable {
  /// Hashes the outcome, without an indirect error.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .fulfilled(let value):
      hasher.combine(0)
      hasher.combine(value)
    case .rejected(let error):
      hasher.combine(1)
      hasher.combine(error)
    case .cancelled:
      hasher.combine(2)
    }
  }
}
