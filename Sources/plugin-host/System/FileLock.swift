import Glibc

/// A lock for changes of a file, so that no process overwrites the change of another.
///
/// It is a lock on a file beside the changed one, because a change replaces that. The kernel frees it when the process
/// ends, also if that is killed.
enum FileLock {
  /// The ending of the lock's name.
  static let suffix = ".lock"
  /// The mode of the lock. A plugin in a worker that may read the folder must not take the lock, for which it would
  /// have to open it.
  private static let mode: mode_t = 0o200

  /// Runs `body`, which reads and writes the file at `path`, while no other process runs such a body. On a file system
  /// without locks nothing is locked.
  ///
  /// - Throws: the error of `body`, or that of the lock if it is not free within `patience`. The folder must exist.
  static func holding<Result>(
    _ path: String, for patience: Duration = .seconds(30), _ body: () throws(SystemError) -> Result
  ) throws(FileChangeError) -> Result {
    do throws(SystemError) {
      let descriptor = try open(path)
      defer { close(descriptor) }
      let deadline = ContinuousClock.now + patience
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else { break }
        guard .now < deadline else { throw SystemError(code: EWOULDBLOCK) }
        usleep(10_000)
      }
      return try body()
    } catch {
      throw FileChangeError(path: path, error: error)
    }
  }

  private static func open(_ path: String) throws(SystemError) -> Int32 {
    let flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK
    let lock = Glibc.open(RawText.cString(path + suffix), flags | O_CREAT | O_NOFOLLOW, mode)
    if lock >= 0 {
      _ = fchmod(lock, mode)
      return lock
    }
    let error = SystemError.last
    // In a folder that accepts no new files, the file itself is written to, and not replaced.
    let file = [EACCES, EPERM, EROFS].contains(error.code) ? Glibc.open(RawText.cString(path), flags) : -1
    guard file >= 0 else { throw error }
    return file
  }
}

/// The reason why a file was not changed.
struct FileChangeError: Error, Equatable, CustomStringConvertible {
  let path: String
  let error: SystemError

  var description: String {
    error.code == EWOULDBLOCK
      ? "\(path): another process is changing it, and keeps \(path)\(FileLock.suffix) locked"
      : "\(path): \(error.fileProblem)"
  }
}
