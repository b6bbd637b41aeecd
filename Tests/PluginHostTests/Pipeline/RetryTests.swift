import Testing

@testable import plugin_host

@Suite struct RetryTests {
  @Test func delaysGrowToTheirLimit() {
    let retry = Retry(times: 9, delay: 0.5, factor: 3, limit: 10)
    #expect((1...5).map { retry.delay(before: $0) } == [0.5, 1.5, 4.5, 10, 10])
    #expect(Retry(times: 1_000_000).delay(before: 1_000_000) == 60)
  }

  @Test("a delay is shown without the digits that a calculation leaves behind")
  func delaysAreShown() {
    let numbers = [0.1 + 0.2, 1.5 * 1.5 * 0.45, 0.25, 3, 1e-7, 1e300].map(CallFailure.number)
    #expect(numbers == ["0.3", "1.0125", "0.25", "3", "1e-07", "1e+300"])
  }

  @Test func appliesToTheNamedFailures() {
    let all = Retry(times: 1)
    let some = Retry(times: 1, on: ["timeout", "fixture 7"])
    #expect(all.applies(to: .rejected(message: "x")) && all.applies(to: .timedOut(seconds: 1)))
    #expect(some.applies(to: .rejected(message: "x (fixture 7)")) && some.applies(to: .timedOut(seconds: 1)))
    #expect(!some.applies(to: .rejected(message: "timeout (fixture 8)")))
    #expect(!Retry(times: 1, on: ["x"]).applies(to: .timedOut(seconds: 1)))
    for failure in [CallFailure.wrongArguments(message: "x"), .interrupted, .skipped, .notRun(because: "x")] {
      #expect(!all.applies(to: failure))
    }
  }
}
