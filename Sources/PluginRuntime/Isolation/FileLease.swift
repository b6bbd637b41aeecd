import CPluginEdge
import Glibc

/// Leases of files, which the kernel grants while no process has them open for writing.
enum FileLease {
  /// Whether a process has the file open for writing. False where the kernel grants no leases, as for files of other
  /// users, and on file systems of the network, which may refuse each lease.
  static func isBeingWritten(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // The signal for a process that wants to write meanwhile: this one is ignored by default. It waits for the end of
    // the lease, which the descriptor has.
    _ = fcntl(descriptor, setSignal, SIGURG)
    return fcntl(descriptor, setLease, F_RDLCK) != 0 && errno == EAGAIN && !plugin_file_is_remote(descriptor)
  }

  // F_SETSIG and F_SETLEASE, which Swift does not import.
  private static let setSignal: Int32 = 10
  private static let setLease: Int32 = 1024
}
