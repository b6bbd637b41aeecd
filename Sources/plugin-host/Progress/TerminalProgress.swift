/// Draws the table of the steps on a terminal, over and over in the same place.
@MainActor
final class TerminalProgress: ProgressDisplay {
  let refreshInterval: Duration? = .milliseconds(100)
  private let terminal: Terminal
  private let write: (String) -> Void
  /// Whether the table is erased at the end.
  private let isTransient: Bool
  /// The time of the first drawing. It is later than the start, because a short call needs no display.
  private let begin: ContinuousClock.Instant
  /// The number of lines of the table above the cursor.
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

  // Changes may be very frequent; drawing waits for the next refresh.
  func show(_ rows: [StepRow], changed: Int, from old: StepState) {}

  func refresh(_ rows: [StepRow]) {
    if ContinuousClock.now >= begin { draw(table(rows, height: terminal.size.rows)) }
  }

  func note(_ line: String, _ rows: [StepRow]) {
    draw(drawn == 0 ? [] : table(rows, height: terminal.size.rows), below: [line])
  }

  func finish(_ rows: [StepRow]) {
    // The last drawing is not overwritten, so it may be higher than the terminal.
    draw(isTransient ? [] : table(rows, height: .max))
    drawn = 0
  }

  /// Draws the table in place of the one before, below `notes`, in one write. Each line clears the rest of the old one;
  /// clearing everything first would flicker.
  private func draw(_ table: [String], below notes: [String] = []) {
    let back = drawn == 0 ? "" : "\u{1B}[\(drawn)A\r"
    let lines = (notes + table).map { $0 + "\u{1B}[K\n" }.joined()
    let text = back + lines + (drawn == 0 ? "" : "\u{1B}[J")
    if !text.isEmpty { write(text) }
    drawn = table.count
  }

  private func table(_ rows: [StepRow], height: Int) -> [String] {
    let table = StepTable(
      columns: terminal.size.columns, height: height, hasColor: terminal.hasColor, hasUnicode: terminal.hasUnicode)
    return table.lines(rows, now: .now)
  }
}
