import CPluginEdge
import Glibc
import PluginRuntime

/// A child process that runs code of a plugin and writes a report.
///
/// Use it while the process has a single thread: the child is a fork of it.
struct ChildProcess {
  private var child = plugin_child_t()
  /// The kind of the plugin's code that the child runs, in shared memory.
  private let place: UnsafeMutablePointer<plugin_activity_kind_t>
  /// The output so far. Never cleared: the order of writes to the two pipes is unknown.
  private var output = OutputTail()
  /// Whether the report has ended, so that no more of it is read.
  private(set) var isReportOver = false

  /// Starts a child that runs `body` and ends; exit handlers of plugins do not run. `place` belongs to the child until
  /// it has ended. `purpose` and `status` are for the error, such as "reads plugins".
  init(
    _ place: UnsafeMutablePointer<plugin_activity_kind_t>, purpose: String, _ status: ExitStatus, _ body: () -> Void
  ) throws(Failure) {
    self.place = place
    switch plugin_child_fork(&child, place) {
    case 0:
      body()
      _exit(0)
    case 1: break
    default: throw Failure(status, "cannot start a process that \(purpose): \(SystemError.lastOfStart)")
    }
  }

  /// Waits until one of the children has written something or ended, or until `deadline`.
  static func wait(for children: [ChildProcess], until deadline: ContinuousClock.Instant) {
    var waits = children.flatMap { process in
      [
        // A negative descriptor is ignored.
        pollfd(fd: process.isReportOver ? -1 : process.child.report, events: Int16(POLLIN), revents: 0),
        pollfd(fd: process.output.isOver ? -1 : process.child.output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: process.child.end, events: Int16(POLLIN), revents: 0),
      ]
    }
    // Kernels before 5.3 do not report the end of a process by a descriptor.
    let tick: Duration = children.contains { $0.child.end < 0 } ? .milliseconds(10) : .seconds(1)
    let milliseconds = max(min(ContinuousClock.now.duration(to: deadline), tick) / .milliseconds(1), 0)
    plugin_poll(&waits, waits.count, Int32(milliseconds.rounded(.up)))
  }

  /// Reads the output. Returns whether the child has ended.
  mutating func readOutput() -> Bool {
    let hasEnded = plugin_child_has_ended(child.process)
    output.read(from: child.output)
    return hasEnded
  }

  /// Reads the next bytes of the report; `nil` if none have arrived, or none will.
  mutating func readReport() -> [UInt8]? {
    isReportOver ? nil : NonBlockingRead.chunk(child.report, isOver: &isReportOver)
  }

  /// Kills the child if it runs. Returns its status.
  @discardableResult
  mutating func end() -> Int32 { plugin_child_end(&child) }

  /// Describes the end of a child, by a status or by the time limit, as a finding about the plugin. `call` is the call
  /// in progress; `nil` outside a call.
  func finding(_ end: End, in call: String? = nil) -> String {
    let code = call ?? activity
    switch end {
    case .late(let timeout):
      return "has not returned within \(Int((timeout / .milliseconds(1)).rounded())) ms from \(code)\(lastLine)"
    case .status(let status):
      let signal = status & 0x7F
      let end = signal == 0 ? "with status \(status >> 8 & 0xFF)" : "by \(SignalName.of(signal))"
      return "ended the process that ran it, \(end), in \(code)\(lastLine)"
    }
  }

  enum End {
    case late(Duration), status(Int32)
  }

  /// The last line of output, as the end of a sentence.
  var lastLine: String { output.lastLine.map { "; it wrote last: \($0)" } ?? "" }

  private var activity: String {
    switch place.pointee {
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_MAPPING): "its initialisers, while it was being loaded"
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_ENTRY): "promise_plugin_entry()"
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_LOAD): "load()"
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_UNLOAD): "unload()"
    default: "code between its calls, such as a thread of its own"
    }
  }
}
