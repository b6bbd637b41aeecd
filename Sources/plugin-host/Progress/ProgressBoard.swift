/// The state of all steps, and the display that shows it.
@MainActor
final class ProgressBoard {
  private(set) var rows: [StepRow]
  private let display: any ProgressDisplay
  private let loop: MainLoop
  private var isFinished = false

  init(rows: [StepRow], display: any ProgressDisplay, loop: MainLoop) {
    self.rows = rows
    self.display = display
    self.loop = loop
    keepUpToDate()
  }

  /// Updates the state of a step, or its progress.
  func enter(_ state: StepState, step: Int) {
    guard !rows[step].state.isSettled, rows[step].state != state else { return }
    let old = rows[step].state
    rows[step].enter(state, now: .now)
    display.show(rows, changed: step, from: old)
  }

  /// Shows a plugin's report on the step's current call.
  func report(_ report: StepState.Report, step: Int) {
    switch rows[step].state {
    case .running: enter(.running(report), step: step)
    case .rescuing(let message, _): enter(.rescuing(from: message, report), step: step)
    default: break
    }
  }

  /// Shows a line that is not about a step.
  func note(_ line: String) {
    display.note(line, rows)
  }

  /// Ends the display. Later calls are ignored.
  func finish() {
    if isFinished { return }
    isFinished = true
    display.finish(rows)
  }

  private func keepUpToDate() {
    guard let interval = display.refreshInterval else { return }
    loop.after(interval) { [weak self] in
      guard let self, !self.isFinished else { return }
      self.display.refresh(self.rows)
      self.keepUpToDate()
    }
  }
}

/// Displays the progress of the steps.
@MainActor
protocol ProgressDisplay: AnyObject {
  /// The interval of calls of `refresh`; nil: never.
  var refreshInterval: Duration? { get }

  /// Shows a change of the row at index `changed`, whose state was `old`.
  func show(_ rows: [StepRow], changed: Int, from old: StepState)

  /// Redraws the display, at the refresh interval.
  func refresh(_ rows: [StepRow])

  /// Writes a line that is not about a step.
  func note(_ line: String, _ rows: [StepRow])

  /// Ends the display.
  func finish(_ rows: [StepRow])
}

/// A display that is never redrawn.
extension ProgressDisplay {
  var refreshInterval: Duration? { nil }
  func refresh(_ rows: [StepRow]) {}
  func finish(_ rows: [StepRow]) {}
}

/// Shows nothing but the notes.
@MainActor
final class NoProgress: ProgressDisplay {
  func show(_ rows: [StepRow], changed: Int, from old: StepState) {}
  func note(_ line: String, _ rows: [StepRow]) { StandardError.write(lines: [line]) }
}
