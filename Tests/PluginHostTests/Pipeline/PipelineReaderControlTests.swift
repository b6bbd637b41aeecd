import Testing

@testable import plugin_host

/// When, how often and beside which others a step runs, as the reader takes it.
@Suite struct PipelineReaderControlTests {
  private func step(_ keys: String) throws -> Pipeline.Step {
    let pipeline = try PipelineReader.read(source("plugins: []\nsteps:\n  a: {call: p.f, \(keys)}"))
    return try #require(pipeline.steps.first)
  }

  @Test func numbersReachTheirLimits() throws {
    #expect(try step("retry: 1").retry == Retry(times: 1))
    #expect(try step("retry: 1000000").retry == Retry(times: 1_000_000))
    #expect(try step("each: [1], limit: 1").limit == 1)
    #expect(try step("each: [1], limit: 1000000").limit == 1_000_000)
    #expect(try step("retry: {times: 2, factor: 1}").retry == Retry(times: 2, factor: 1))
    #expect(try step("retry: {times: 2, factor: 1000}").retry == Retry(times: 2, factor: 1000))
  }

  @Test func everyKeyOfARetryCounts() throws {
    let retry = try step("retry: {times: 3, delay: 2, factor: 1.5, limit: 1m, on: [timeout, x 1]}").retry
    #expect(retry == Retry(times: 3, delay: 2, factor: 1.5, limit: 60, on: ["timeout", "x 1"]))
    #expect(try step("retry: {times: 3, on: x}").retry?.on == ["x"])
  }

  @Test(arguments: [("true", true), ("True", true), ("YES", true), ("false", false), ("FALSE", false), ("No", false)])
  func truthValuesAreWordsOfYAML(word: String, value: Bool) throws {
    #expect(try step("pure: \(word)").isPure?.value == value)
  }

  @Test(arguments: [
    ("retry: 0", "\"retry\" must be a number from 1 to 1000000; this is \"0\""),
    ("retry: 1000001", "\"retry\" must be a number from 1 to 1000000; this is \"1000001\""),
    ("retry: {times: x}", "\"times\" must be a number from 1 to 1000000; this is \"x\""),
    ("each: [1], limit: 0", "\"limit\" must be a number from 1 to 1000000; this is \"0\""),
    ("limit: 2", "\"limit\" needs \"each\" in the same step"),
    ("serial: false", "\"serial\" must be a name, which steps that exclude each other share: \(Name.rule)"),
    ("serial: no", "\"serial\" must be a name, which steps that exclude each other share: \(Name.rule)"),
    ("serial: OFF", "\"serial\" must be a name, which steps that exclude each other share: \(Name.rule)"),
    ("serial: 2", "\"serial\" must be a name, which steps that exclude each other share: \(Name.rule)"),
    ("retry: {times: 1, factor: 0.99}", "\"factor\" must be a number from 1 to 1000; this is \"0.99\""),
    ("retry: {times: 1, factor: 1001}", "\"factor\" must be a number from 1 to 1000; this is \"1001\""),
  ])
  func othersAreRefused(keys: String, message: String) {
    let found = mistakes { _ = try step(keys) }
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix(": \(message)") == true, "\(found)")
  }
}
