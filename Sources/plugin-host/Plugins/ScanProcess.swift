import CPluginEdge
import Glibc
import PluginRuntime

/// A child process that reads the descriptions of plugins, one after the other.
final class ScanProcess {
  /// The results so far, by the index of the job.
  private(set) var results: [Int: Result<PluginDescription, Failure>] = [:]
  /// The jobs without a result, grouped for other processes. Complete after the end.
  private(set) var unread: [[ScanJob]] = []

  private var jobs: ArraySlice<ScanJob>
  /// Whether this process has read another plugin before, which may be the cause of a failure.
  private var isTainted = false
  private let place: UnsafeMutablePointer<plugin_activity_kind_t>
  private let timeout: Duration
  private var deadline: ContinuousClock.Instant
  private var child = plugin_child_t()
  private var report = ScanReport.Reader()
  private var output = OutputTail()

  /// The kind published by a process whose report descriptor was closed.
  private static let isMute: plugin_activity_kind_t = -1

  /// Starts the process. `place` is in shared memory, and its own until the process has ended.
  init(
    _ jobs: [ScanJob], place: UnsafeMutablePointer<plugin_activity_kind_t>, timeout: Duration
  ) throws(Failure) {
    self.jobs = jobs[...]
    self.place = place
    self.timeout = timeout
    deadline = .now + timeout
    switch plugin_child_fork(&child, place) {
    case 0: Self.run(jobs, place)
    case 1: break
    default: throw Failure(.notLoaded, "cannot start a process that reads plugins: \(SystemError.lastOfStart)")
    }
  }

  /// The child: reads the descriptions and reports them. Exit handlers of plugins do not run.
  private static func run(_ jobs: [ScanJob], _ place: UnsafeMutablePointer<plugin_activity_kind_t>) -> Never {
    for job in jobs {
      let report: ScanReport
      do throws(Failure) {
        report = .description(try job.target.description())
      } catch {
        report = .failure(error)
      }
      do {
        try FileBytes.write(report.frame, to: Int32(PLUGIN_CHILD_REPORT))
      } catch {
        place.pointee = isMute
        break
      }
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

  /// Reads the reports that the process has written. True when the process has ended.
  func advance() -> Bool {
    let hasEnded = plugin_child_has_ended(child.process)
    output.read(from: child.output)
    report.read(from: child.report)
    while let job = jobs.first, let text = report.next() {
      guard let result = result(of: text, job.target) else { return stop(.forgedReport) }
      if isTainted, case .failure = result { unread.append([job]) } else { results[job.index] = result }
      jobs.removeFirst()
      isTainted = true
      deadline = .now + timeout
      output.clear()
    }
    if jobs.isEmpty {
      _ = plugin_child_end(&child)
      return true
    }
    if report.isGarbage { return stop(.forgedReport) }
    if hasEnded { return stop(.ended) }
    return .now >= deadline ? stop(.timedOut) : false
  }

  /// The reason for stopping a process before it has done all jobs.
  private enum Stop {
    case ended, timedOut, forgedReport
  }

  /// Ends the process, in which the first job has failed.
  private func stop(_ reason: Stop) -> Bool {
    let status = plugin_child_end(&child)
    let culprit = jobs.removeFirst()
    if isTainted && reason != .timedOut {
      unread.append([culprit])
    } else {
      results[culprit.index] = .failure(failure(of: culprit.target, reason, status))
    }
    if !jobs.isEmpty { unread.append(Array(jobs)) }
    return true
  }

  /// Nil if the report does not match this target.
  private func result(of text: [UInt8], _ target: ScanTarget) -> Result<PluginDescription, Failure>? {
    switch try? ScanReport(parsing: text) {
    case .description(let plugin): target.admits(plugin) ? .success(plugin) : nil
    case .failure(let failure): .failure(failure)
    case nil: nil
    }
  }

  /// The event, with the code of the plugin that ran, and the last line that it wrote.
  private func failure(of target: ScanTarget, _ reason: Stop, _ status: Int32) -> Failure {
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
