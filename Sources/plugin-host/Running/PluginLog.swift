import PluginRuntime

/// The log of the plugins, as lines for people.
@MainActor
final class PluginLog {
  /// The display that the lines have to be fitted into; without one they go to standard error as they are.
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
}

extension LogThreshold {
  /// The least important level that is shown; nil: none.
  var level: LogLevel? {
    switch self {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    case .error: .error
    case .off: nil
    }
  }
}
