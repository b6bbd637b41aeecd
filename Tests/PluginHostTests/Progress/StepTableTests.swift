import Testing

@testable import plugin_host

@Suite struct StepTableTests {
  private let start = ContinuousClock.now

  private func row(_ name: String, _ state: StepState, seconds: Double? = nil) -> StepRow {
    var row = StepRow(name: name, call: "p.\(name)", state: state)
    if let seconds {
      row.began = start
      row.ended = start + .seconds(seconds)
    }
    return row
  }

  private func lines(_ rows: [StepRow], columns: Int = 60, height: Int = 24, unicode: Bool = true) -> [String] {
    StepTable(columns: columns, height: height, hasUnicode: unicode).lines(rows, now: start + .seconds(2))
  }

  @Test func showsEveryState() {
    let rows = [
      row("a", .fulfilled(result: "12 bytes"), seconds: 0.125),
      row("bb", .running(.init(fraction: 0.5, message: "half"))),
      row("c", .running(.init(message: "reading"))),
      row("d", .waiting),
      row("e", .rejected(message: "no\nroom"), seconds: 75),
      row("f", .timedOut(message: "timed out after 1 s"), seconds: 1),
      row("g", .notRun(because: "e")),
      row("h", .rescuing(from: "no room", .init())),
      row("i", .interrupted),
    ]
    #expect(
      lines(rows).map { String($0.reversed().drop { $0 == " " }.reversed()) } == [
        "✓ a   p.a   12 bytes                                 0.13 s",
        "▸ bb  p.bb  ████████░░░░░░░  50% half",
        "▸ c   p.c   reading",
        "· d   p.d",
        "✗ e   p.e   no room                              1 min 15 s",
        "✗ f   p.f   timed out after 1 s                      1.00 s",
        "– g   p.g   not run: \"e\" was not fulfilled",
        "↻ h   p.h   rescuing: no room",
        "✗ i   p.i   interrupted",
      ])
  }

  @Test func hasAnASCIIForm() {
    let rows = [row("a", .running(.init(fraction: 1, message: ""))), row("b", .rejected(message: "x"))]
    let text = lines(rows, unicode: false).joined()
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.contains("> a  p.a  ") && text.contains("# 100%"))
  }

  @Test func paintsOnlyIfAsked() {
    let rows = [row("a", .fulfilled(result: "1"))]
    #expect(!lines(rows).joined().contains("\u{1B}"))
    let table = StepTable(columns: 60, height: 24, hasColor: true)
    #expect(table.lines(rows, now: start).joined().hasPrefix("\u{1B}[32m✓\u{1B}[0m a"))
  }

  @Test(arguments: [1, 2, 10, 20, 30, 79, 200])
  func neverWrapsNorScrolls(columns: Int) {
    let long = String(repeating: "日本語 text ", count: 20)
    let states: [StepState] = [.running(.init(fraction: 0.3, message: long)), .fulfilled(result: long), .waiting]
    let rows = (0..<30).map { row("step-\($0)-\(long)", states[$0 % 3], seconds: 1) }
    for height in [1, 2, 5, 24] {
      let lines = lines(rows, columns: columns, height: height)
      #expect(lines.count <= max(height - 1, 2))
      #expect(lines.allSatisfy { $0.columns < max(columns, 1) || $0.isEmpty })
    }
  }

  @Test func showsRunningStepsWhereNotAllFit() {
    let rows = (0..<10).map { row("s\($0)", $0 == 7 ? .running(.init()) : $0 == 5 ? .rejected(message: "") : .waiting) }
    let names = lines(rows, height: 5).map { $0.split(separator: " ")[1] }
    #expect(names == ["s0", "s5", "s7", "more"])
    #expect(lines(rows, height: 5).last == "  7 more steps")
  }
}

@Suite struct DurationTextTests {
  @Test(arguments: [
    (0.0, "0.00 s"), (0.004, "0.00 s"), (1.239, "1.24 s"), (59.99, "59.99 s"), (60, "1 min 0 s"),
    (3725.5, "62 min 5 s"),
  ])
  func isReadable(seconds: Double, text: String) { #expect(Duration.seconds(seconds).text == text) }
}
