import CPluginEdge
import Glibc
import PluginRuntime

/// Runs a check in a child process, and reports an abnormal end as a finding.
///
/// The child writes lines: a letter, a space, and a string of JSON. Use only while the process has a single thread.
struct CheckProcess {
  /// The kinds of lines.
  enum Line: UInt8 {
    case call = 0x63  // c
    case returned = 0x72  // r
    case finding = 0x66  // f
    case note = 0x6E  // n
    /// A note that says why the check was not made.
    case skipped = 0x73  // s
    case done = 0x64  // d
  }

  private var child: ChildProcess
  private var pending: [UInt8] = []
  private var isDone = false
  /// The last call, until it has returned.
  private var call: String?
  private var result: CheckResult

  /// Runs `body` in a child. The child is killed when it writes nothing for `timeout`.
  static func run(_ name: String, timeout: Duration, _ body: () -> Void) throws(Failure) -> CheckResult {
    guard let place = plugin_child_place() else {
      throw Failure(.rejected, "cannot map memory for a process that checks a plugin: \(SystemError.last)")
    }
    defer { plugin_child_free_place(place) }
    let child = try ChildProcess(place, purpose: "checks a plugin", .rejected) {
      body()
      Self.write(.done, "")
    }
    var process = CheckProcess(child: child, result: CheckResult(name: name))
    return process.wait(timeout)
  }

  /// Writes a line. Call in the child.
  static func write(_ line: Line, _ text: String) {
    let bytes = [line.rawValue, 0x20] + Array(PluginValue.string(text).json.utf8) + [0x0A]
    try? FileBytes.write(bytes, to: Int32(PLUGIN_CHILD_REPORT))
  }

  private mutating func wait(_ timeout: Duration) -> CheckResult {
    var deadline = ContinuousClock.now + timeout
    while true {
      let hasEnded = child.readOutput()
      if read() { deadline = .now + timeout }
      if isDone || hasEnded || .now >= deadline {
        let status = child.end()
        let end: ChildProcess.End = hasEnded ? .status(status) : .late(timeout)
        if !isDone { result.findings.append(child.finding(end, in: call.map { "the call \($0)" })) }
        return result
      }
      ChildProcess.wait(for: [child], until: deadline)
    }
  }

  /// Reads the lines that have arrived. Returns whether there were any.
  private mutating func read() -> Bool {
    var isRead = false
    while let chunk = child.readReport() { pending += chunk }
    while let end = pending.firstIndex(of: 0x0A) {
      take(pending[..<end])
      pending.removeSubrange(...end)
      isRead = true
    }
    return isRead
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count > 2, let line = bytes.first.flatMap(Line.init),
      case .string(let text)? = try? JSONText(parsing: Array(bytes.dropFirst(2)))
    else { return }
    switch line {
    case .call:
      call = text
      result.calls += 1
    case .returned: call = nil
    case .finding: if !result.findings.contains(text) { result.findings.append(text) }
    case .note: if !result.notes.contains(text) { result.notes.append(text) }
    case .skipped: (result.isMade, result.notes) = (false, result.notes + [text])
    case .done: isDone = true
    }
  }
}
