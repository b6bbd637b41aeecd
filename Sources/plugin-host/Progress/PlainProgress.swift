/// One line per event: for logs, pipes, and terminals without cursor control.
@MainActor
final class PlainProgress: ProgressDisplay {
  private let onlyReports: Bool
  private let write: (String) -> Void

  /// `onlyReports` leaves out how steps begin and end, and shows the plugins' reports alone. `write` gets each line,
  /// without its line break.
  init(onlyReports: Bool = false, write: @escaping (String) -> Void = { StandardError.write(lines: [$0]) }) {
    self.onlyReports = onlyReports
    self.write = write
  }

  func show(_ rows: [StepRow], changed: Int, from old: StepState) {
    let row = rows[changed]
    if onlyReports, old.report == nil || row.state.report == nil { return }
    if let text = Self.text(for: row, was: old) { write("\(row.name): \(text)".displayLine) }
  }

  func note(_ line: String, _ rows: [StepRow]) { write(line) }

  /// Returns the line for a change; nil for a change too small to print.
  static func text(for row: StepRow, was old: StepState) -> String? {
    let time = row.duration(now: row.ended ?? .now)?.text ?? ""
    switch (old, row.state) {
    case (.running(let old), .running(let new)), (.rescuing(_, let old), .rescuing(_, let new)):
      return text(for: new, was: old)
    case (_, .waiting): return nil
    case (_, .running): return "started \(row.call)"
    case (_, .rescuing(let message, _)): return "rejected, to be rescued: \(message)"
    case (_, .fulfilled(let result)):
      return "fulfilled" + (time.isEmpty ? "" : " in \(time)") + (result.isEmpty ? "" : ": \(result)")
    case (_, .rejected(let message)): return "rejected" + (time.isEmpty ? "" : " after \(time)") + ": \(message)"
    case (_, .timedOut(let message)): return message
    case (_, .notRun(let cause)): return "not run: \"\(cause)\" was not fulfilled"
    case (_, .skipped): return "skipped"
    case (_, .interrupted): return "interrupted"
    }
  }

  /// Returns the text for a new message, or for another tenth of progress; otherwise nil, because a line for every
  /// report would hide the rest.
  private static func text(for report: StepState.Report, was old: StepState.Report) -> String? {
    let tenth = { (report: StepState.Report) in report.fraction.map { Int($0 * 10) } }
    guard report.message != old.message || tenth(report) != tenth(old) else { return nil }
    let percent = report.fraction.map { "\(Int($0 * 100)) %" }
    let parts = [percent, report.message.isEmpty ? nil : report.message].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}
