import Foundation

/// Runs programs, with their output in a file.
enum Command {
  /// The status of a program: its exit status, or 128 plus the number of the signal that ended it.
  struct Outcome {
    let status: Int32
    let seconds: Double
    let output: String
  }

  /// Runs a program and returns its output.
  static func capture(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    let file = FileManager.default.temporaryDirectory.appending(path: "mutate-\(UUID().uuidString)").path
    defer { unlink(file) }
    let (status, seconds, _) = try run(arguments, environment: environment, output: file)
    let data = FileManager.default.contents(atPath: file) ?? Data()
    return Outcome(status: status, seconds: seconds, output: String(decoding: data, as: UTF8.self))
  }

  /// Runs a program; writes its output to a file. `work` is the processor time of the program and its children, in
  /// seconds.
  ///
  /// - Parameter live: Reads the output instead, and ends the program at the first failure of a test; the status is 1
  ///   then.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], output: String = "/dev/null", live: LiveOutput? = nil
  ) throws -> (status: Int32, seconds: Double, work: Double) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let live {
      posix_spawn_file_actions_adddup2(&actions, live.writing, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    }
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // A thread of Dispatch blocks signals, the tests' alarms among them, and the program would inherit its mask.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // The signals that end this program are ignored (Programs.swift), which the program would inherit.
    var ending = sigset_t()
    sigemptyset(&ending)
    for signal in Programs.endingSignals { sigaddset(&ending, signal) }
    posix_spawnattr_setsigdefault(&attributes, &ending)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let program = Programs.Program()
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging(program.mark) { $1 }
    var argv = arguments.map { strdup($0) } + [nil]
    var envp = all.map { strdup("\($0)=\($1)") } + [nil]
    defer {
      argv.forEach { free($0) }
      envp.forEach { free($0) }
    }
    let start = ContinuousClock.now
    let process = try program.start {
      var process: pid_t = 0
      let error = posix_spawnp(&process, arguments[0], &actions, &attributes, &argv, &envp)
      guard error == 0 else { throw Failure("\(arguments[0]): \(String(cString: strerror(error)))") }
      return process
    }
    var status: Int32 = 0
    var usage = rusage()
    var hasFailed = false
    if let live {
      (status, usage, hasFailed) = live.watch(process)
    } else {
      while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
    }
    let work = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
    program.finish()
    let duration = (ContinuousClock.now - start).components
    let signal = status & 0x7f
    return (
      hasFailed ? 1 : signal == 0 ? status >> 8 & 0xff : 128 + signal,
      Double(duration.seconds) + Double(duration.attoseconds) * 1e-18, work
    )
  }

  /// Limits the programs started from now on: their private memory, no core files.
  static func limit(gibibytes: rlim_t) {
    var data = rlimit()
    getrlimit(__rlimit_resource_t(2), &data)  // RLIMIT_DATA
    data.rlim_cur = min(gibibytes << 30, data.rlim_max)
    setrlimit(__rlimit_resource_t(2), &data)
    // A test may raise it, to see that a process forbids them.
    var core = rlimit()
    getrlimit(__rlimit_resource_t(4), &core)  // RLIMIT_CORE
    core.rlim_cur = 0
    setrlimit(__rlimit_resource_t(4), &core)
  }
}
