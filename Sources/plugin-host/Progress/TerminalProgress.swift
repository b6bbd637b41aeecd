/// Draws the table of the steps on a terminal, over and over in the same place.
@MainActor
final class TerminalProgress: ProgressDisplay {
  let refreshInterval: Duration? = .milliseconds(100)
  private let terminal: Terminal
  private let write: (String) -> Void
  /// Whether the table goes away at the end.
  private let isTransient: Bool
  /// Nothing is drawn before this: what is over in a moment needs no display.
  private let begin: ContinuousClock.Instant
  /// The lines of the table that stand above the cursor.
  private var drawn = 0

  init(
    terminal: Terminal, isTransient: Bool, delay: Duration,
    write: @escaping (String) -> Void = { StandardError.write($0) }
  ) {
    self.terminal = terminal
    self.isTransient = isTransient
    begin = .now + delay
    self.write = write
  }

  // Changes come by the thousand; drawing waits for the next refresh.
  func show(_ rows: [StepRow], changed: Int, from old: StepState) {}

  func refresh(_ rows: [StepRow]) {
    if ContinuousClock.now >= begin { write(erasure + table(rows, height: terminal.size.rows)) }
  }

  func note(_ line: String, _ rows: [StepRow]) {
    let wasDrawn = drawn > 0
    write(erasure + line + "\n" + (wasDrawn ? table(rows, height: terminal.size.rows) : ""))
  }

  func finish(_ rows: [StepRow]) {
    // Nothing is drawn over this one, so it may be higher than the terminal.
    write(erasure + (isTransient ? "" : table(rows, height: .max)))
  }

  /// Goes back to where the table begins, and clears from there.
  private var erasure: String {
    defer { drawn = 0 }
    return drawn == 0 ? "" : "\u{1B}[\(drawn)A\r\u{1B}[J"
  }

  private func table(_ rows: [StepRow], height: Int) -> String {
    let table = StepTable(
      columns: terminal.size.columns, height: height, hasColor: terminal.hasColor, hasUnicode: terminal.hasUnicode)
    let lines = table.lines(rows, now: .now)
    drawn = lines.count
    return lines.map { $0 + "\n" }.joined()
  }
}
