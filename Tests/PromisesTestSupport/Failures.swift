/// An error that tests throw and reject with; two are equal if their codes are.
public struct TestError: Error, Equatable {
  public let code: Int
  public init(_ code: Int = 0) { self.code = code }
}

/// An error of another type, which a handler for `TestError` does not match.
public struct OtherError: Error, Equatable {
  public init() {}
}

/// A reference: a value or reason whose identity can be compared.
public final class Identity: Sendable {
  public init() {}
}
