import PluginRuntime
import Synchronization

/// Prints the log of the plugins.
@MainActor
final class PluginLog {
  /// The display that prints the log between its lines; nil: the log is written to standard error.
  weak var board: ProgressBoard?
  private nonisolated let threshold: LogLevel?
  private nonisolated let loop: MainLoop
  /// The lines of each plugin that wait for the main thread. The excess is the number of those that are left out.
  private nonisolated let backlogs = Mutex<[String: Backlog<Int>]>([:])

  init(threshold: LogThreshold, loop: MainLoop) {
    self.threshold = threshold.level
    self.loop = loop
  }

  /// Writes a line on the main thread. A plugin that logs faster than that loses lines, whose number is written.
  nonisolated func post(_ level: LogLevel, plugin: String, message: String) {
    guard isShown(level),
      backlogs.withLock({ $0[plugin, default: Backlog()].enter { ($0 ?? 0) + 1 } })
    else { return }
    loop.post { [self] in
      write(level, plugin: plugin, message: message)
      if let count = backlogs.withLock({ $0[plugin]?.leave() }) {
        write(level, plugin: plugin, message: "\(count) lines are left out, which came faster than they were written")
      }
    }
  }

  func write(_ level: LogLevel, plugin: String, message: String) {
    guard isShown(level) else { return }
    let line = "\(plugin): \(level): \(message)".displayLine
    if let board { board.note(line) } else { StandardError.write(lines: [line]) }
  }

  /// Prints a failure that determines the exit status, regardless of the threshold.
  func write(_ failure: Failure) {
    guard let board, !StructuredError.isOn else { return StructuredError.write(failure) }
    for line in failure.lines { board.note(line) }
  }

  private nonisolated func isShown(_ level: LogLevel) -> Bool { threshold.map { level >= $0 } ?? false }
}

extension LogThreshold {
  /// The least important level that is shown; nil: none.
  var level: LogLevel? { LogLevel.allCases.first { "\($0)" == rawValue } }
}
