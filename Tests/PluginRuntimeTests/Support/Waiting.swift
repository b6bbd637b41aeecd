import Testing

/// Waits until a condition holds; fails the test after a minute.
func waiting(
  for condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while try await !condition() {
    try #require(
      ContinuousClock.now < deadline, "the condition did not hold within 60 s", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}
