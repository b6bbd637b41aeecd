import CPluginEdge
import Glibc

/// Another program, run to its end.
enum Command {
  struct Result {
    /// The status as a shell reports it: 128 plus the number of a signal.
    var status: Int32
    var output: [UInt8]
  }

  /// The reason why there is no result.
  enum Failure: Error {
    case system(SystemError)
    /// The program did not end in time, and was killed.
    case timedOut
    /// This process was asked to end by a signal, and the program was killed.
    case interrupted(Int32)
  }

  /// Runs a program found in PATH, with an empty standard input. Its standard error is that of this process, unless
  /// `isQuiet` is true. The program leads a process group, which is killed if it has not ended at the deadline, or if a
  /// signal asks this process to end.
  static func run(
    _ program: String, _ arguments: [String], timeout: Duration, isQuiet: Bool = false
  ) throws(Failure) -> Result {
    let wakeup = try pipe()
    defer { for end in [wakeup.read, wakeup.write] { close(end) } }
    _ = fcntl(wakeup.write, F_SETFL, O_NONBLOCK)
    let signals = TerminationSignals(waking: wakeup.write)
    defer { signals.restore() }
    let output = try pipe()
    defer { close(output.read) }
    let started = Swift.Result { () throws(SystemError) in
      try spawn(program, arguments, output: output.write, isQuiet: isQuiet)
    }
    close(output.write)
    let process: pid_t
    do {
      process = try started.get()
    } catch {
      throw .system(error)
    }
    do {
      let bytes = try read(output.read, wakeup: wakeup.read, signals, deadline: .now + timeout)
      return Result(status: wait(for: process), output: bytes)
    } catch {
      kill(-process, SIGKILL)
      _ = wait(for: process)
      throw error
    }
  }

  private static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw .system(.last) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ program: String, _ arguments: [String], output: Int32, isQuiet: Bool
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    if isQuiet { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup(RawText.cString($0)) } + [nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, &attributes, &words, environ)
    guard code == 0 else { throw SystemError(code: code) }
    return process
  }

  /// Reads to the end, until no process of the group holds the pipe.
  private static func read(
    _ descriptor: Int32, wakeup: Int32, _ signals: borrowing TerminationSignals, deadline: ContinuousClock.Instant
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let left = ContinuousClock.now.duration(to: deadline).components
      guard left.seconds >= 0, left.attoseconds >= 0 else { throw .timedOut }
      let milliseconds = min(left.seconds, 1_000_000) * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1
      var waits = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
      ]
      plugin_poll(&waits, 2, Int32(milliseconds))
      if let signal = signals.take() { throw .interrupted(signal) }
      guard waits[0].revents != 0 else { continue }
      let received = Glibc.read(descriptor, &chunk, chunk.count)
      if received == 0 { return bytes }
      if received > 0 { bytes += chunk[..<received] } else if errno != EINTR { throw .system(.last) }
    }
  }

  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
