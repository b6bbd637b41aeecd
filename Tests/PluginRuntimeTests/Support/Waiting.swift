import Testing

/// Waits until a condition holds; fails the test after a minute.
func waiting(
  for condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  var attempts = 0
  while try await !condition() {
    attempts += 1
    // Other tests that block the threads of concurrency may leave few attempts until the deadline.
    try #require(
      ContinuousClock.now < deadline || attempts < 100, "the condition did not hold within 60 s",
      sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}
