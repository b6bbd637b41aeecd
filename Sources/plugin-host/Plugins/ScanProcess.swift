import CPluginEdge
import Glibc
import PluginRuntime

/// A child process that reads the description of one plugin.
final class ScanProcess {
  private let target: ScanTarget
  private let place: UnsafeMutablePointer<plugin_activity_kind_t>
  private let timeout: Duration
  private let deadline: ContinuousClock.Instant
  private var child = plugin_child_t()
  private var report = ScanReport.Reader()
  private var output = OutputTail()

  /// The kind published by a process whose report descriptor was closed.
  private static let isMute: plugin_activity_kind_t = -1

  /// Starts the process. `place` is in shared memory, and its own until the process has ended.
  init(
    _ target: ScanTarget, place: UnsafeMutablePointer<plugin_activity_kind_t>, timeout: Duration
  ) throws(Failure) {
    self.target = target
    self.place = place
    self.timeout = timeout
    deadline = .now + timeout
    switch plugin_child_fork(&child, place) {
    case 0: Self.run(target, place)
    case 1: break
    default: throw Failure(.notLoaded, "cannot start a process that reads plugins: \(SystemError.lastOfStart)")
    }
  }

  /// The child: reads the description and reports it. Exit handlers of plugins do not run.
  private static func run(_ target: ScanTarget, _ place: UnsafeMutablePointer<plugin_activity_kind_t>) -> Never {
    let report: ScanReport
    do throws(Failure) {
      report = .description(try target.description())
    } catch {
      report = .failure(error)
    }
    do {
      try FileBytes.write(report.frame, to: Int32(PLUGIN_CHILD_REPORT))
    } catch {
      place.pointee = isMute
    }
    _exit(0)
  }

  /// Waits until one of the processes has written something or ended, or a deadline has passed.
  static func wait(for processes: [ScanProcess]) {
    guard let first = processes.map(\.deadline).min() else { return }
    var waits = processes.flatMap { process in
      [
        // A negative descriptor is ignored.
        pollfd(fd: process.report.isOver ? -1 : process.child.report, events: Int16(POLLIN), revents: 0),
        pollfd(fd: process.output.isOver ? -1 : process.child.output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: process.child.end, events: Int16(POLLIN), revents: 0),
      ]
    }
    let left = ContinuousClock.now.duration(to: first)
    // Kernels before 5.3 do not report the end of a process by a descriptor.
    let tick: Duration = processes.contains { $0.child.end < 0 } ? .milliseconds(10) : .seconds(1)
    let milliseconds = max(min(left, tick) / .milliseconds(1), 0)
    poll(&waits, nfds_t(waits.count), Int32(milliseconds.rounded(.up)))
  }

  /// Reads the report that the process has written. Returns the result when there is one; the process has ended then.
  func advance() -> Result<PluginDescription, Failure>? {
    let hasEnded = plugin_child_has_ended(child.process)
    output.read(from: child.output)
    report.read(from: child.report)
    // The child ends right after its report: bytes that follow are not its own.
    if report.isGarbage || report.isMore { return stop(.forgedReport) }
    if hasEnded || report.isOver {
      guard let text = report.next() else { return hasEnded ? stop(.ended) : late }
      guard let result = result(of: text) else { return stop(.forgedReport) }
      _ = plugin_child_end(&child)
      return result
    }
    return late
  }

  private var late: Result<PluginDescription, Failure>? { .now >= deadline ? stop(.timedOut) : nil }

  /// The reason for stopping a process that has given no result.
  private enum Stop {
    case ended, timedOut, forgedReport
  }

  private func stop(_ reason: Stop) -> Result<PluginDescription, Failure> {
    let status = plugin_child_end(&child)
    return .failure(failure(reason, status))
  }

  /// Nil if the report does not match this target.
  private func result(of text: [UInt8]) -> Result<PluginDescription, Failure>? {
    switch try? ScanReport(parsing: text) {
    case .description(let plugin): target.admits(plugin) ? .success(plugin) : nil
    case .failure(let failure): .failure(failure)
    case nil: nil
    }
  }

  /// The event, with the code of the plugin that ran, and the last line that it wrote.
  private func failure(_ reason: Stop, _ status: Int32) -> Failure {
    let event =
      switch reason {
      case .ended where place.pointee == Self.isMute: "closed the descriptors of the process that read it"
      case .ended: "ended the process that read it, \(Self.ending(status)), in \(Self.code(of: place.pointee))"
      case .timedOut: "has not returned within \(timeout.milliseconds) ms from \(Self.code(of: place.pointee))"
      case .forgedReport: "wrote into the report of the process that read it"
      }
    let last = output.lastLine.map { ", after it wrote \(PluginValue.string($0).json)" } ?? ""
    return Failure(reason == .timedOut ? .timedOut : .notLoaded, "\(target.subject): \(event)\(last)".displayLine)
  }

  private static func code(of kind: plugin_activity_kind_t) -> String {
    switch kind {
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_MAPPING): "its initialisers, while it was being loaded"
    case plugin_activity_kind_t(PLUGIN_ACTIVITY_ENTRY): "promise_plugin_entry()"
    default: "other code than its initialisers and promise_plugin_entry()"
    }
  }

  private static func ending(_ status: Int32) -> String {
    let signal = status & 0x7F
    return signal == 0 ? "with status \(status >> 8 & 0xFF)" : "by \(SignalName.of(signal))"
  }
}

extension Duration {
  /// The time in whole milliseconds.
  fileprivate var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
