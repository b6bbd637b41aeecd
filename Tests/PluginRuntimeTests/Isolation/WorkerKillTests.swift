import CPluginEdge
import Glibc
import Testing

@Suite("Isolation: killing a process")
struct WorkerKillTests {
  /// Starts a shell with commands. Its standard output is `output`, and its descriptor 3 is connected to `socket`.
  private func shell(_ commands: String) throws -> plugin_process_t {
    var process = plugin_process_t()
    let arguments = ["sh", "-c", commands]
    var words = arguments.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    try #require(plugin_process_start("/bin/sh", &words, nil, false, &process) == 0)
    return process
  }

  private func close(_ process: plugin_process_t) {
    for descriptor in [process.socket, process.control, process.output, process.pidfd] where descriptor >= 0 {
      Glibc.close(descriptor)
    }
  }

  private func reap(_ process: plugin_process_t) -> plugin_process_end_t {
    var end = plugin_process_end_t()
    while !plugin_process_reap(process.pid, &end) { usleep(1_000) }
    return end
  }

  /// Reads the output to the end of a line. `nil` at the end of the output: all processes that have it have ended.
  private func line(_ process: plugin_process_t) throws -> String? {
    var line: [UInt8] = []
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      var byte: UInt8 = 0
      let count = read(process.output, &byte, 1)
      if count < 0, errno == EAGAIN {
        try #require(ContinuousClock.now < deadline)
        usleep(1_000)
        continue
      }
      guard count == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  @Test("ends a child and its process group, with and without a descriptor of it", arguments: [true, false])
  func kills(hasDescriptor: Bool) throws {
    let process = try shell("sleep 1000 & echo started; exec sleep 1000")
    defer { close(process) }
    #expect(try line(process) == "started")
    plugin_process_kill(process.pid, hasDescriptor ? process.pidfd : -1)
    #expect(try line(process) == nil)
    #expect(reap(process).signal == SIGKILL)
  }

  @Test("spares a process that has the number of a child which was reaped", arguments: [true, false])
  func spares(hasDescriptor: Bool) throws {
    let ended = try shell("exit 0")
    defer { close(ended) }
    #expect(reap(ended).status == 0)
    // Stands for a process that got the number: it leads a group, and is not a child of this process.
    let parent = try shell("setsid sh -c 'echo $$; read line <&3; echo alive' & exit 0")
    defer { close(parent) }
    let other = try #require(try line(parent).flatMap { Int32($0) })
    #expect(reap(parent).status == 0 && getpgid(other) == other)
    plugin_process_kill(other, hasDescriptor ? ended.pidfd : -1)
    #expect(write(parent.socket, "go\n", 3) == 3)
    #expect(try line(parent) == "alive")
  }
}
