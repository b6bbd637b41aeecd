/// The steps as lines of a terminal: a mark, the name, the call, the progress, and the time.
struct StepTable: Sendable {
  /// The terminal's size.
  var columns: Int
  var height: Int
  var hasColor = false
  var hasUnicode = true

  /// Returns at most `height - 1` lines, each narrower than `columns`, so that no line wraps, and none scrolls away
  /// before it is drawn over.
  func lines(_ rows: [StepRow], now: ContinuousClock.Instant) -> [String] {
    let shown = visible(rows)
    let nameWidth = min(shown.map(\.name.columns).max() ?? 0, max(columns / 4, 8))
    let callWidth = min(shown.map(\.call.columns).max() ?? 0, max(columns / 4, 8))
    var lines = shown.map { line($0, rows: rows, nameWidth: nameWidth, callWidth: callWidth, now: now) }
    if shown.count < rows.count {
      let hidden = rows.count - shown.count
      lines.append(paint("  \(hidden) more step\(hidden == 1 ? "" : "s")".truncated(to: columns - 1, mark: more), .dim))
    }
    return lines
  }

  /// Returns all rows if they fit. Otherwise prefers running steps, then failures, then waiting steps, then finished
  /// ones.
  private func visible(_ rows: [StepRow]) -> [StepRow] {
    let capacity = max(height - 1, 1)
    guard rows.count > capacity else { return rows }
    let ranked = rows.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
    return ranked.prefix(max(capacity - 1, 1)).sorted { $0.offset < $1.offset }.map(\.element)
  }

  private func rank(_ row: StepRow) -> Int {
    switch row.state {
    case .running, .rescuing: 0
    case .rejected, .timedOut, .interrupted: 1
    case .waiting: 2
    case .fulfilled, .notRun, .skipped: 3
    }
  }

  private func line(
    _ row: StepRow, rows: [StepRow], nameWidth: Int, callWidth: Int, now: ContinuousClock.Instant
  ) -> String {
    let (mark, color) = mark(row.state)
    let name = row.name.truncated(to: nameWidth, mark: more).padded(to: nameWidth)
    let call = row.call.truncated(to: callWidth, mark: more).padded(to: callWidth)
    let time = row.duration(now: now)?.text ?? ""
    // One column stays free: a terminal wraps when the last one is written.
    let capacity = columns - 1 - (2 + nameWidth + 2 + callWidth + 2) - (time.columns + 1)
    guard capacity >= 4 else {
      return paint("\(mark) \(name)".truncated(to: columns - 1, mark: more), color)
    }
    let text = detail(row.state, capacity: capacity).padded(to: capacity)
    return
      "\(paint(mark, color)) \(name)  \(paint(call, .dim))  \(paint(text, detailColor(row.state))) \(paint(time, .dim))"
  }

  private func detail(_ state: StepState, capacity: Int) -> String {
    let text =
      switch state {
      case .waiting: ""
      case .running(let report): progress(report, capacity: capacity)
      case .rescuing(let message, let report):
        report == StepState.Report() ? "rescuing: \(message)" : progress(report, capacity: capacity)
      case .fulfilled(let result): result
      case .rejected(let message), .timedOut(let message): message
      case .notRun(let cause): "not run: \"\(cause)\" was not fulfilled"
      case .skipped: "skipped"
      case .interrupted: "interrupted"
      }
    return text.displayLine.truncated(to: capacity, mark: more)
  }

  private func progress(_ report: StepState.Report, capacity: Int) -> String {
    guard let fraction = report.fraction else { return report.message }
    let width = min(20, capacity / 3)
    let filled = Int((fraction * Double(width)).rounded())
    let bar =
      String(repeating: hasUnicode ? "█" : "#", count: filled)
      + String(repeating: hasUnicode ? "░" : "-", count: width - filled)
    let percent = "\(Int(fraction * 100))%"
    return "\(bar) \(String(repeating: " ", count: max(0, 4 - percent.count)))\(percent) \(report.message)"
  }

  // MARK: Marks and colours

  private enum Color: String {
    case none = ""
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
  }

  private var more: String { hasUnicode ? "…" : "~" }

  private func mark(_ state: StepState) -> (String, Color) {
    switch state {
    case .waiting: (hasUnicode ? "·" : ".", .dim)
    case .running: (hasUnicode ? "▸" : ">", .blue)
    case .rescuing: (hasUnicode ? "↻" : "@", .yellow)
    case .fulfilled: (hasUnicode ? "✓" : "+", .green)
    case .rejected: (hasUnicode ? "✗" : "x", .red)
    case .timedOut, .interrupted: (hasUnicode ? "✗" : "x", .yellow)
    case .notRun, .skipped: (hasUnicode ? "–" : "-", .dim)
    }
  }

  private func detailColor(_ state: StepState) -> Color {
    switch state {
    case .rejected: .red
    case .timedOut, .interrupted, .rescuing: .yellow
    case .notRun, .skipped: .dim
    default: .none
    }
  }

  private func paint(_ text: String, _ color: Color) -> String {
    hasColor && color != .none && !text.isEmpty ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }
}
