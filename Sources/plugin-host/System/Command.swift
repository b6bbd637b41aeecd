import Glibc

/// Another program, run to its end.
enum Command {
  struct Result {
    /// As the shell says it: 128 and more for a signal.
    var status: Int32
    var output: [UInt8]
  }

  /// Runs a program that is looked for in PATH. What it says on standard error is seen by the user.
  static func run(_ program: String, _ arguments: [String]) throws(SystemError) -> Result {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, nil, &words, environ)
    close(ends[1])
    guard code == 0 else { throw SystemError(code: code) }
    let output = Swift.Result { () throws(SystemError) in try FileBytes.read(descriptor: ends[0]) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return Result(status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, output: try output.get())
  }
}
