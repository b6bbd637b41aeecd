import ArgumentParser
import Glibc

/// The form of progress on standard error.
enum ProgressStyle: String, CaseIterable, ExpressibleByArgument {
  case auto, plain, off

  /// Returns the display. If it is transient, it shows reports of progress, not the beginning and the end of calls, is
  /// erased at the end, and draws nothing for very short calls.
  @MainActor
  func display(isTransient: Bool) -> any ProgressDisplay {
    switch self {
    case .off: return NoProgress()
    case .plain: return PlainProgress(onlyReports: isTransient)
    case .auto:
      guard let terminal = Terminal(descriptor: STDERR_FILENO), terminal.canDraw else {
        return PlainProgress(onlyReports: isTransient)
      }
      let delay: Duration = isTransient ? .milliseconds(300) : .zero
      return TerminalProgress(terminal: terminal, isTransient: isTransient, delay: delay)
    }
  }
}
