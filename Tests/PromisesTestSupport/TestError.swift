/// An error that tests throw and reject with; two are equal if their codes are.
package struct TestError: Error, Equatable {
  package let code: Int
  package init(_ code: Int = 0) { self.code = code }
}

/// An error of another type, which a handler for `TestError` does not match.
package struct OtherError: Error, Equatable {
  package init() {}
}
