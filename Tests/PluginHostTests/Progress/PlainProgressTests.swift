import Testing

@testable import plugin_host

@MainActor
@Suite struct PlainProgressTests {
  /// Returns the lines for the changes of one step.
  private func lines(_ states: StepState...) -> [String] { lines(of: states) }

  private func lines(of states: [StepState], onlyReports: Bool = false) -> [String] {
    var lines: [String] = []
    let progress = PlainProgress(onlyReports: onlyReports) { lines.append($0) }
    var row = StepRow(name: "sum", call: "digest.sha256")
    for state in states {
      let old = row.state
      row.state = state
      progress.show([row], changed: 0, from: old)
    }
    return lines
  }

  @Test func printsEachState() {
    #expect(
      lines(.running(.init()), .rescuing(from: "no\nroom", .init()), .fulfilled(result: "5"))
        == ["sum: started digest.sha256", "sum: rejected, to be rescued: no room", "sum: fulfilled: 5"])
    #expect(lines(.rejected(message: "bad")) == ["sum: rejected: bad"])
    #expect(lines(.timedOut(message: "timed out after 3 s")) == ["sum: timed out after 3 s"])
    #expect(lines(.notRun(because: "packed")) == ["sum: not run: \"packed\" was not fulfilled"])
    #expect(lines(.interrupted) == ["sum: interrupted"])
    #expect(lines(.fulfilled(result: "")) == ["sum: fulfilled"])
  }

  @Test func reportsAloneAreThoseOfStepsThatReportAlready() {
    let states: [StepState] = [
      .running(.init()), .running(.init(message: "one")), .running(.init(message: "two")), .fulfilled(result: "5"),
    ]
    #expect(lines(of: states, onlyReports: true) == ["sum: one", "sum: two"])
  }

  @Test func leavesEmptyReportsOut() {
    #expect(
      lines(.running(.init(message: "attempt 1")), .running(.init()), .running(.init(fraction: 0.5)))
        == ["sum: started digest.sha256", "sum: 50 %"])
  }

  @Test func leavesSmallStepsOfProgressOut() {
    let reports = stride(from: 0.0, through: 1.0, by: 0.01).map { StepState.running(.init(fraction: $0, message: "x")) }
    let lines = lines(of: [.running(.init())] + reports)
    #expect(lines[1] == "sum: 0 % x")
    #expect(lines.last == "sum: 100 % x")
    #expect(lines.count == 12)
  }

  @Test func printsEachNewMessage() {
    #expect(
      lines(
        .running(.init()), .running(.init(message: "one")), .running(.init(message: "one")),
        .running(.init(message: "two")))
        == ["sum: started digest.sha256", "sum: one", "sum: two"])
  }
}
