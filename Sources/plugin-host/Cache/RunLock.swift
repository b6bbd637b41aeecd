import Glibc

/// A lock on the results that are kept for one run: two runs with `--resume` that are the same do not run at once.
///
/// The lock is a byte of a file beside the cache, at an offset made of the run's digest. The kernel frees it when the
/// process ends, also if that is killed.
enum RunLock {
  /// The ending of the file's name.
  static let suffix = "-runs"

  /// Locks the run until the process ends. Throws a failure if another process holds the lock. On a file system without
  /// locks there is none.
  static func take(_ run: Digest, cache path: String) throws(Failure) {
    let descriptor = open(RawText.cString(path + suffix), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = run.bytes.prefix(7).reduce(0) { $0 << 8 | off_t($1) }
    lock.l_len = 1
    guard fcntl(descriptor, F_SETLK, &lock) != 0, errno == EAGAIN || errno == EACCES else { return }
    let isKnown = fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_pid > 0
    let holder = isKnown ? ", as process \(lock.l_pid)" : ""
    throw Failure(
      .rejected,
      "--resume: the same run is under way\(holder): wait for its end, or leave out --resume for a run of its own")
  }
}
