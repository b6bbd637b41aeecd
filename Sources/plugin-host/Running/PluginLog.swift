import PluginRuntime

/// Prints the log of the plugins.
@MainActor
final class PluginLog {
  /// The display that prints the log between its lines; nil: the log is written to standard error.
  weak var board: ProgressBoard?
  private let threshold: LogLevel?

  init(threshold: LogThreshold) {
    self.threshold = threshold.level
  }

  func write(_ level: LogLevel, plugin: String, message: String) {
    guard let threshold, level >= threshold else { return }
    let line = "\(plugin): \(level): \(message)".displayLine
    if let board { board.note(line) } else { StandardError.write(lines: [line]) }
  }

  /// Prints a failure that determines the exit status, regardless of the threshold.
  func write(_ failure: Failure) {
    guard let board, !StructuredError.isOn else { return StructuredError.write(failure) }
    for line in failure.lines { board.note(line) }
  }
}

extension LogThreshold {
  /// The least important level that is shown; nil: none.
  var level: LogLevel? { LogLevel.allCases.first { "\($0)" == rawValue } }
}
