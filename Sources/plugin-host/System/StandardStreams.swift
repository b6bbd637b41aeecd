import Glibc
import Synchronization

/// Descriptors 0, 1 and 2.
enum StandardStreams {
  /// The descriptor for results: standard output, even after plugins were separated from it.
  static var results: Int32 { output.load(ordering: .acquiring) }

  /// Returns the descriptor of this process that a path names, such as /dev/stderr or /dev/fd/5; nil for another path.
  /// Writing to the descriptor keeps the content of its file, which opening it by name would truncate. Descriptor 1
  /// belongs to plugins.
  static func descriptor(namedBy path: String) -> Int32? {
    let names = ["/dev/stdin", "/dev/stdout", "/dev/stderr"]
    let digits = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix).map { path.dropFirst($0.count) }
    let number = names.firstIndex(of: path).map { Int32($0) } ?? digits.flatMap { Int32($0) }
    return number == STDOUT_FILENO ? results : number
  }

  /// Opens the standard streams that are closed. Call before anything else is opened: a file with number 1 would
  /// receive the results. The streams are opened in the wrong direction, so that reading 0 and writing 1 or 2 fail, as
  /// they do for closed streams.
  static func openClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // open() returns the lowest free number, which is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Reserves standard output for results: descriptor 1, to which plugins and their child processes print, becomes a
  /// copy of standard error.
  static func reserveOutput() throws(SystemError) {
    // Far above the lowest numbers, which programs close when they clean up.
    var copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100)
    if copy < 0 { copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) }
    guard copy >= 0 else { throw .last }
    guard dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { throw .last }
    output.store(copy, ordering: .releasing)
  }
}

private let output = Atomic<Int32>(STDOUT_FILENO)
