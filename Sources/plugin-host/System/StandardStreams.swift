import Glibc
import Synchronization

/// Descriptors 0, 1 and 2.
enum StandardStreams {
  /// The descriptor of the results: standard output, also after plugins have none.
  static var results: Int32 { output.load(ordering: .acquiring) }

  /// Sees to it that all three are open, before anything else is: a file of ours or of a plugin's that got number 1
  /// would receive the results. A stream that was closed is opened the wrong way round: reading 0 and writing 1 or 2 fail,
  /// as they should.
  static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // Open gives the lowest number that is free: this one, as those before it are taken.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Keeps standard output for the results alone: descriptor 1, which plugins and the programs that they start print to,
  /// becomes standard error's.
  static func reserveOutput() throws(SystemError) {
    // Far from the lowest numbers, which a program that tidies up closes.
    var copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100)
    if copy < 0 { copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) }
    guard copy >= 0 else { throw .last }
    guard dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { throw .last }
    output.store(copy, ordering: .releasing)
  }

  /// Restores standard output, for text that is printed to it when no plugin is loaded.
  static func returnOutput() {
    guard results != STDOUT_FILENO else { return }
    _ = dup2(results, STDOUT_FILENO)
  }

  /// Makes writes fail that would end the process by a signal: to a pipe without a reader, or beyond the limit of a file's
  /// size. Programs that plugins start are ended by it as ever.
  static func surviveFailedWrites() {
    for signal in [SIGPIPE, SIGXFSZ] {
      // A parent that ignores the signal has it ignored here too.
      if SignalAction(of: signal) == .standard { SignalAction { _ in }.install(for: signal) }
    }
  }
}

private let output = Atomic<Int32>(STDOUT_FILENO)
