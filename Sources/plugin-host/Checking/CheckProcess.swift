import CPluginEdge
import Glibc
import PluginRuntime

/// Runs a check in a child process, and reports an abnormal end as a finding.
///
/// The child writes lines: a letter, a space, and a string of JSON. Use it while the process has a single thread.
struct CheckProcess {
  /// The kinds of lines.
  enum Line: UInt8 {
    case call = 0x63  // c
    case returned = 0x72  // r
    case finding = 0x66  // f
    case note = 0x6E  // n
    /// A note that says why the check is not made.
    case skipped = 0x73  // s
    case done = 0x64  // d
  }

  private var child = plugin_child_t()
  private let place: UnsafeMutablePointer<plugin_activity_kind_t>
  private var pending: [UInt8] = []
  private var isOver = false
  private var isDone = false
  /// The last call, until it has returned.
  private var call: String?
  /// The last output. The next call does not clear it: the order of writes to the two pipes is unknown.
  private var output = OutputTail()
  private var result: CheckResult

  /// Runs `body` in a child. The child is killed when it writes nothing for `timeout`.
  static func run(_ name: String, timeout: Duration, _ body: () -> Void) throws(Failure) -> CheckResult {
    guard let place = plugin_child_places(1) else {
      throw Failure(.rejected, "cannot map memory for a process that checks a plugin: \(SystemError.last)")
    }
    defer { munmap(place, MemoryLayout<plugin_activity_kind_t>.size) }
    var process = CheckProcess(place: place, result: CheckResult(name: name))
    switch plugin_child_fork(&process.child, place) {
    case 0:
      body()
      Self.write(.done, "")
      _exit(0)
    case 1: return process.wait(timeout)
    default: throw Failure(.rejected, "cannot start a process that checks a plugin: \(SystemError.lastOfStart)")
    }
  }

  private init(place: UnsafeMutablePointer<plugin_activity_kind_t>, result: CheckResult) {
    (self.place, self.result) = (place, result)
  }

  /// Writes a line, in the child.
  static func write(_ line: Line, _ text: String) {
    let bytes = [line.rawValue, 0x20] + Array(PluginValue.string(text).json.utf8) + [0x0A]
    try? FileBytes.write(bytes, to: Int32(PLUGIN_CHILD_REPORT))
  }

  private mutating func wait(_ timeout: Duration) -> CheckResult {
    var deadline = ContinuousClock.now + timeout
    while true {
      let hasEnded = plugin_child_has_ended(child.process)
      output.read(from: child.output)
      if read() { deadline = .now + timeout }
      if isDone || hasEnded || .now >= deadline {
        let status = plugin_child_end(&child)
        if !isDone { result.findings.append(fault(hasEnded ? status : nil, timeout)) }
        return result
      }
      var waits = [
        pollfd(fd: isOver ? -1 : child.report, events: Int16(POLLIN), revents: 0),
        pollfd(fd: output.isOver ? -1 : child.output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: child.end, events: Int16(POLLIN), revents: 0),
      ]
      poll(&waits, 3, child.end < 0 ? 10 : 200)
    }
  }

  /// Reads lines. Returns whether there were some.
  private mutating func read() -> Bool {
    var isRead = false
    while !isOver, let chunk = NonBlockingRead.chunk(child.report, isOver: &isOver) { pending += chunk }
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

  /// The end of a process before its check was done. `status`: `nil` if it did not end in time.
  private func fault(_ status: Int32?, _ timeout: Duration) -> String {
    let code = call.map { "the call \($0)" } ?? Self.code(of: place.pointee)
    let last = output.lastLine.map { "; it wrote last: \($0)" } ?? ""
    guard let status else { return "has not returned within \(timeout) from \(code)\(last)" }
    let signal = status & 0x7F
    let end = signal == 0 ? "with status \(status >> 8 & 0xFF)" : "by \(SignalName.of(signal))"
    return "ended the process \(end) in \(code)\(last)"
  }

  private static func code(of kind: plugin_activity_kind_t) -> String {
    switch kind {
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_MAPPING): "its initialisers"
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_ENTRY): "promise_plugin_entry()"
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_LOAD): "load()"
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_UNLOAD): "unload()"
    default: "code between its calls, such as a thread of its own"
    }
  }
}
