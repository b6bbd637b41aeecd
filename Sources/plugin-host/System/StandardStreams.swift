import Glibc

/// Descriptors 0, 1 and 2.
enum StandardStreams {
  /// Sees to it that all three are open, before anything else is: a file of ours or of a plugin's that got number 1
  /// would receive the results. What was closed cannot be used, the wrong way round: reading 0 and writing 1 or 2 fail,
  /// as they should.
  static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // Open gives the lowest number that is free: this one, as those before it are taken.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
