import CPluginEdge
import Foundation
import Glibc
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Isolation: capabilities", .serialized)
struct Confined {
  /// A file that no rule allows, in a folder of its own.
  private let secret: String
  private var folder: String { URL(fileURLWithPath: secret).deletingLastPathComponent().path }

  init() throws { secret = try Fixture.file("secret", containing: "secret".utf8) }

  private func loading(_ capabilities: String..., flags: [String] = []) throws -> IsolatedPlugin? {
    try IsolatedPlugin.confined("greedy", capabilities, flags)
  }

  private func refusal(_ outcome: Outcome) -> CapabilityRefusal? { outcome.refusal }

  @Test(
    "a call that uses a file without the right is rejected with the right's name, however it ends",
    arguments: [
      ("read_file", "read"), ("write_file", "write"), ("unlink_file", "write"), ("change_mode", "write"),
      ("read_and_die", "read"),
    ])
  func files(function: String, capability: String) async throws {
    guard let plugin = try loading() else { return }
    let outcome = try await plugin.outcome(function, .string(secret))
    let found = outcome.workerEnd?.refusals.first ?? refusal(outcome)
    #expect(found?.capability.rawValue == capability && found?.path == secret, "\(outcome)")
    #expect(outcome.pluginError?.message.contains("\(capability)=\(secret)") == true, "\(outcome)")
    #expect(FileManager.default.contents(atPath: secret) == Data("secret".utf8))
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
  }

  @Test("a worker that is started after the end of another has no more rights than that had")
  func afterRestart() async throws {
    guard let plugin = try loading("memory=256M") else { return }
    for generation in 1...2 {
      #expect(try await plugin.outcome("read_and_die", .string(secret)).workerEnd?.generation == generation)
    }
    let outcome = try await plugin.outcome("read_file", .string(secret))
    #expect(refusal(outcome)?.capability.rawValue == "read" && refusal(outcome)?.path == secret, "\(outcome)")
    #expect(refusal(try await plugin.outcome("allocate", .uint(1 << 30)))?.capability == .memory)
    plugin.unload()
  }

  @Test(
    "a call that does anything else without the right is rejected with the right's name",
    arguments: [
      ("connect", "network", [PluginValue.int(Int64(AF_INET))]), ("connect", "network", [.int(Int64(AF_UNIX))]),
      ("connect", "network", [.int(Int64(AF_NETLINK))]), ("fork_child", "processes", []),
      ("spawn_child", "processes", []), ("signal_host", "processes", []), ("trace_host", "system", []),
      ("limit_host", "system", []), ("mount_something", "system", []), ("use_ring", "system", []),
      ("watch_files", "system", []),
    ])
  func others(function: String, capability: String, arguments: [PluginValue]) async throws {
    guard let plugin = try loading() else { return }
    let outcome = try await plugin.call(function, arguments.map { .value($0) }, timeout: nil).outcomeInTime()
    #expect(refusal(outcome)?.capability.rawValue == capability, "\(outcome)")
    #expect(outcome.pluginError?.message.contains("'\(capability) (") == true, "\(outcome)")
  }

  @Test(
    "facts of the machine that runtimes read need no right",
    arguments: [
      "/proc/meminfo", "/sys/devices/system/cpu/online", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
    ])
  func facts(path: String) async throws {
    guard let plugin = try loading() else { return }
    let outcome = try await plugin.outcome("read_file", .string(path))
    // Some kernels lack the last one.
    let isThere = FileManager.default.fileExists(atPath: path)
    #expect(outcome.value == .int(isThere ? 0 : Int64(ENOENT)), "\(outcome)")
  }

  @Test("rights that are given work, and others do not")
  func given() async throws {
    guard
      let plugin = try loading("network", "processes", "read=\(secret)", "write=\(folder)", "memory=1G", "cpu=100")
    else { return }
    let new = "\(folder)/new"
    for (function, argument) in [
      ("read_file", PluginValue.string(secret)), ("write_file", .string(new)), ("unlink_file", .string(new)),
      ("connect", .int(Int64(AF_INET))), ("allocate", .uint(1 << 20)),
    ] {
      let outcome = try await plugin.outcome(function, argument)
      #expect(outcome.value == .int(0), "\(function): \(outcome)")
    }
    for function in ["fork_child", "spawn_child"] {
      let outcome = try await plugin.outcome(function)
      #expect(outcome.value == .int(0), "\(function): \(outcome)")
    }
    // The child would be one of the host, which does not expect it.
    #expect(refusal(try await plugin.outcome("clone_sibling"))?.description == "system (clone)")
    let other = try Fixture.file("other", containing: [])
    #expect(refusal(try await plugin.outcome("read_file", .string(other)))?.path == other)
    // Landlock allows no such changes below a folder, so a path anywhere is refused.
    #expect(refusal(try await plugin.outcome("change_mode", .string(secret)))?.capability == .write)
    var status = stat()
    #expect(stat(secret, &status) == 0 && status.st_mode & 0o777 != 0o777)
    #expect(refusal(try await plugin.outcome("signal_host")) == nil)
    #expect(try await plugin.outcome("signal_host").value == .int(Int64(EPERM)))
  }

  @Test("a symbolic link, .. or /proc/self/root grants no access to a file that was not allowed")
  func paths() async throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/allowed", withIntermediateDirectories: true)
    guard let plugin = try loading("read=\(folder)/allowed") else { return }
    let link = "\(folder)/allowed/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: secret)
    for path in [link, "\(folder)/allowed/../secret", "/proc/self/root\(secret)", "/proc/thread-self/root\(secret)"] {
      let outcome = try await plugin.outcome("read_file", .string(path))
      #expect(refusal(outcome)?.path == secret, "\(path): \(outcome)")
    }
    for (function, access) in [("reopen_to_read", "read"), ("reopen_to_write", "write")] {
      let outcome = try await plugin.outcome(function, .string(secret))
      #expect(refusal(outcome)?.description == "\(access)=\(secret) (openat)", "\(function): \(outcome)")
    }
    let parent = try await plugin.outcome("read_file", .string("/proc/self/../1/cmdline"))
    #expect(refusal(parent)?.path == "/proc/1/cmdline", "\(parent)")
    let relative = try await plugin.outcome("read_relative", .string("\(folder)/allowed"), .string("../secret"))
    #expect(refusal(relative)?.path == secret, "\(relative)")
  }

  @Test("a file that would be created is written, and one that is only named is not opened")
  func flags() async throws {
    guard let plugin = try loading("read=\(folder)") else { return }
    func open(_ path: String, _ flags: Int32...) async throws -> Outcome {
      try await plugin.outcome("open_with", .string(path), .int(Int64(flags.reduce(0, |))))
    }
    for flag in [O_CREAT, O_TRUNC] {
      let path = flag == O_CREAT ? "\(folder)/new" : secret
      #expect(refusal(try await open(path, O_RDONLY, flag))?.capability == .write)
    }
    #expect(FileManager.default.contents(atPath: secret) == Data("secret".utf8))
    let (other, pathOnly) = (try Fixture.file("other", containing: []), Int32(0o10000000))
    #expect(try await open(other, pathOnly).value == .int(0))
    #expect(refusal(try await open(other, O_RDONLY))?.capability == .read)
    let structured = try await plugin.outcome("read_by_structure", .string(other))
    #expect(refusal(structured)?.description == "read=\(other) (openat2)", "\(structured)")
    let long = try await open("/\(String(repeating: "a", count: Int(PATH_MAX) * 25))", O_RDONLY)
    #expect(long.value == .int(Int64(ENAMETOOLONG)) || refusal(long) != nil, "\(long)")
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
  }

  @Test("starting threads and opening harmless files needs no capability")
  func harmless() async throws {
    guard let plugin = try loading() else { return }
    #expect(try await plugin.outcome("start_thread").value == .int(7))
    #expect(try await plugin.outcome("read_file", .string("/dev/null")).value == .int(0))
    #expect(try await plugin.outcome("write_file", .string("/dev/null")).value == .int(0))
    #expect(try await plugin.outcome("read_file", .string(Fixture.pluginHost)).value == .int(0))
    for path in ["/proc/self/exe", "/proc/self/maps", "/proc/thread-self/status", "/dev/fd", "/dev/stdin"] {
      let outcome = try await plugin.outcome("read_file", .string(path))
      #expect(outcome.value == .int(0), "\(path): \(outcome)")
    }
    // The standard output of a worker is a pipe.
    guard case .int(let process)? = try await plugin.outcome("process").value else { return }
    for path in ["/dev/stdout", "/proc/\(process)/fd/1"] {
      #expect(try await plugin.outcome("write_file", .string(path)).value == .int(0), "\(path)")
    }
    let memory = try await plugin.outcome("write_file", .string("/proc/self/mem"))
    #expect(refusal(memory)?.path == "/proc/self/mem", "\(memory)")
    #expect(try await plugin.outcome("read_file", .string("\(folder)/none")).value == .int(Int64(ENOENT)))
  }

  @Test("a refusal rejects its own call alone, also beside others")
  func beside() async throws {
    guard let plugin = try loading() else { return }
    let calls = (0..<200).map { number in
      number.isMultiple(of: 10)
        ? plugin.call("read_file", [.value(.string(secret))], timeout: nil)
        : plugin.call("echo", [.value(.int(Int64(number)))], timeout: nil)
    }
    for (number, call) in calls.enumerated() {
      let outcome = try await call.outcomeInTime()
      if number.isMultiple(of: 10) {
        #expect(refusal(outcome)?.path == secret, "\(outcome)")
      } else {
        #expect(outcome.value == .int(Int64(number)), "\(outcome)")
      }
    }
  }

  @Test("a thread of the plugin's own is named in the rejection of the call")
  func elsewhere() async throws {
    guard let plugin = try loading() else { return }
    let outcome = try await plugin.outcome("read_elsewhere", .string(secret))
    #expect(refusal(outcome)?.path == secret, "\(outcome)")
    #expect(outcome.pluginError?.message.contains("rejected with: ") == true, "\(outcome)")
  }

  @Test("a refusal of a child that a call has forked is that of the call")
  func child() async throws {
    guard let plugin = try loading("processes") else { return }
    let outcome = try await plugin.outcome("read_in_child", .string(secret))
    #expect(refusal(outcome)?.path == secret, "\(outcome)")
  }

  @Test("a refusal of a thread that makes no call is that of no call which succeeds, or comes later")
  func helper() async throws {
    guard let plugin = try loading() else { return }
    #expect(try await plugin.outcome("read_by_helper", .string(secret)).value == .int(0))
    let later = try await plugin.outcome("read_elsewhere", .string("\(folder)/none"))
    #expect(later.reason != nil && later.pluginError == nil, "\(later)")
  }

  @Test("a refusal is reported once: not for each attempt, and not again at the end of the worker")
  func once() async throws {
    guard let plugin = try loading() else { return }
    let often = try await plugin.outcome("read_often", .string(secret), .uint(100))
    guard case .notAllowed(let refusals)? = often.pluginError?.kind else {
      Issue.record("\(often)")
      return
    }
    #expect(refusals.map(\.path) == [secret])
    guard case .int(let process)? = try await plugin.outcome("process").value else { return }
    let pending = plugin.call("burn", [], timeout: nil)
    kill(pid_t(process), SIGKILL)
    let end = try #require(try await pending.outcomeInTime().workerEnd)
    #expect(end.refusals.isEmpty, "\(end)")
  }

  @Test("the end of a worker does not report the refusals of a call whose time was over")
  func late() async throws {
    guard let plugin = try IsolatedPlugin.confined("chain") else { return }
    let late = try await plugin.outcome("read_first", .string(secret), timeout: .milliseconds(50))
    #expect(late.pluginError?.kind == .timedOut, "\(late)")
    let end = try #require(try await plugin.outcome("die").workerEnd)
    #expect(end.refusals.isEmpty, "\(end)")
  }

  @Test("many refusals of one call leave the refusals of another")
  func many() async throws {
    guard let plugin = try IsolatedPlugin.confined("chain") else { return }
    let first = plugin.call("read_first", [.value(.string(secret))], timeout: nil)
    let others = try await plugin.outcome("write_many", .string(folder), .uint(100))
    #expect(refusal(others)?.capability == .write, "\(others)")
    #expect(try await plugin.outcome("open_gate", .int(1)).value == .void)
    let outcome = try await first.outcomeInTime()
    #expect(refusal(outcome)?.path == secret, "\(outcome)")
  }

  @Test("reading attributes of a file needs all capabilities, because rules for files do not cover it")
  func attributes() async throws {
    guard let plugin = try loading("read=\(secret)") else { return }
    for (function, call) in [("read_attribute", "getxattr"), ("list_attributes", "llistxattr")] {
      let outcome = try await plugin.outcome(function, .string(secret))
      #expect(refusal(outcome)?.description == "read=\(secret) (\(call))", "\(outcome)")
      #expect(outcome.pluginError?.message.hasPrefix("was refused 'read=\(secret) (\(call))', which only") == true)
    }
  }

  @Test("a part of a second of processor time counts as a whole one")
  func partOfASecond() async throws {
    let plugin = try IsolatedPlugin.loading("greedy") { $0.capabilities.cpuTime = .milliseconds(1_400) }
    #expect(try await plugin.outcome("limit_of_time").value == .uint(2))
    let short = try IsolatedPlugin.loading("greedy") { $0.capabilities.cpuTime = .zero }
    #expect(try await short.outcome("limit_of_time").value == .uint(1))
  }

  @Test("the limits of the host hold for its workers, which write no core file either")
  func outerLimits() async {
    await #expect(processExitsWith: .success) {
      for (resource, value) in [(RLIMIT_CPU, 1_000), (RLIMIT_CORE, 8)] {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        // Only root can raise a limit that forbids core files.
        let isSet = setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
        #expect(isSet || resource == RLIMIT_CORE)
      }
      let lines = Recorder<String>()
      let host = Host.Options(log: { _, _, text in lines.record(text) })
      let plugin = try IsolatedPlugin.loading("greedy", host: host) { $0.capabilities.cpuTime = .seconds(2_000) }
      #expect(!lines.events.contains { $0.contains("processor time") }, "\(lines.events)")
      #expect(try await plugin.outcome("limit_of_time").value == .uint(1_000))
      #expect(try await plugin.outcome("limit_of_core").value == .uint(0))
      plugin.unload()
    }
  }

  @Test("a worker keeps no descriptor of its rules, nor of a folder that they name")
  func rules() async throws {
    guard let plugin = try loading("read=\(secret)", "write=\(folder)") else { return }
    guard case .int(let process)? = try await plugin.outcome("process").value else { return }
    let links = "/proc/\(process)/fd"
    let targets = try FileManager.default.contentsOfDirectory(atPath: links).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(links)/\($0)")
    }
    #expect(!targets.isEmpty && !targets.contains { $0.contains("landlock") || $0.hasPrefix(folder) }, "\(targets)")
  }

  @Test("memory and processor time")
  func limits() async throws {
    guard let plugin = try loading("memory=256M", "cpu=1") else { return }
    #expect(try await plugin.outcome("allocate", .uint(1 << 20)).value == .int(0))
    let outcome = try await plugin.outcome("allocate", .uint(1 << 30))
    #expect(refusal(outcome)?.capability == .memory, "\(outcome)")
    #expect(
      outcome.pluginError?.message.hasPrefix("exceeded 'memory=256M (") == true, "\(outcome)")
    let burned = try await plugin.outcome("burn")
    #expect(burned.workerEnd?.cause == .killed(signal: SIGXCPU), "\(burned)")
    #expect(burned.workerEnd?.refusals.map(\.capability) == [.cpu])
    #expect(burned.pluginError?.message.contains("; it exceeded 'cpu=1', a limit of its capabilities") == true)
    let ignored = try await plugin.outcome("burn_on")
    #expect(ignored.workerEnd?.cause == .killed(signal: SIGKILL), "\(ignored)")
    #expect(ignored.pluginError?.message.contains("; it exceeded 'cpu=1', a limit of its capabilities") == true)
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
  }

  @Test("code that runs while the plugin is mapped is confined too")
  func initialiser() throws {
    let flags = ["-DIN_INITIALISER=if (opened(open(\"/etc/passwd\", O_RDONLY)) != 0) abort()"]
    guard try loading() != nil else { return }
    let error = #expect(throws: PluginError.self) { try loading(flags: flags) }
    #expect(error?.message.contains("'read=/etc/passwd (openat)'") == true, "\(error as Any)")
  }

  @Test("a path that does not exist cannot be given as a right")
  func missing() throws {
    for right in ["read", "write"] {
      let error = #expect(throws: PluginError.self) { try loading("\(right)=\(folder)/none") }
      #expect(error?.kind == .notFound && error?.message.contains("\(right)=\(folder)/none") == true)
    }
  }

  @Test(
    "the host names the rules that a kernel does not enforce",
    arguments: [
      ([444, 445, 446], ["files, and signals to other processes (the kernel has no Landlock)"]),
      ([317, 277], ["network, processes and changes of the system (Function not implemented)"]),
    ])
  func olderKernels(missing: [Int], gaps: [String]) async throws {
    let program = Fixture.file("older-kernel")
    let source = Fixture.root.appendingPathComponent("Tests/Fixtures/older-kernel.c").path
    try Fixture.run("cc", ["-std=gnu11", "-Wall", "-Werror", source, "-o", program])
    let lines = Recorder<String>()
    let plugin = try IsolatedPlugin.loading(
      "greedy", host: Host.Options(log: { level, _, text in lines.record("\(level): \(text)") })
    ) { options in
      options.program = WorkerProgram(
        path: program,
        arguments: [missing.map { "\($0)" }.joined(separator: ","), Fixture.pluginHost, WorkerProgram.workerArgument])
    }
    #expect(lines.events.first?.hasPrefix("warning: not enforced on this system: ") == true, "\(lines.events)")
    for gap in gaps { #expect(lines.events.first?.contains(gap) == true, "\(lines.events)") }
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    // The access that the missing rules would refuse succeeds.
    let isForFiles = missing == [444, 445, 446]
    let outcome = try await plugin.outcome(isForFiles ? "read_file" : "connect", isForFiles ? .string(secret) : .int(2))
    #expect(outcome.value == .int(0), "\(outcome)")
  }
}
