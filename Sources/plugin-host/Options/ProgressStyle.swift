import ArgumentParser
import Glibc

/// The form of progress on standard error.
enum ProgressStyle: String, CaseIterable, ExpressibleByArgument {
  case auto, plain, off

  /// `isTransient`: show progress alone, not the beginning and the end. The display is erased at the end, and very
  /// short calls are not drawn at all.
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
