import CPluginEdge
import Glibc
import PluginRuntime

/// A child process that reads the description of one plugin.
final class ScanProcess {
  private let target: ScanTarget
  private let place: UnsafeMutablePointer<plugin_activity_kind_t>
  private let timeout: Duration
  private let deadline: ContinuousClock.Instant
  private var child: ChildProcess
  private var report = ScanReport.Reader()

  /// The kind published by a process whose report descriptor was closed.
  private static let isMute: plugin_activity_kind_t = -1

  /// Starts the process.
  init(_ target: ScanTarget, timeout: Duration) throws(Failure) {
    guard let place = plugin_child_place() else {
      throw Failure(.notLoaded, "cannot map memory for a process that reads plugins: \(SystemError.last)")
    }
    self.target = target
    self.place = place
    self.timeout = timeout
    deadline = .now + timeout
    do throws(Failure) {
      child = try ChildProcess(place, purpose: "reads plugins", .notLoaded) { Self.run(target, place, timeout) }
    } catch {
      plugin_child_free_place(place)
      throw error
    }
  }

  deinit { plugin_child_free_place(place) }

  /// Reads the description and writes the report. Call in the child.
  private static func run(
    _ target: ScanTarget, _ place: UnsafeMutablePointer<plugin_activity_kind_t>, _ timeout: Duration
  ) {
    let report: ScanReport
    do throws(Failure) {
      report = .description(try target.description(timeout: timeout))
    } catch {
      report = .failure(error)
    }
    do {
      try FileBytes.write(report.frame, to: Int32(PLUGIN_CHILD_REPORT))
    } catch {
      place.pointee = isMute
    }
  }

  /// Waits until one of the processes has written something or ended, or a deadline has passed.
  static func wait(for processes: [ScanProcess]) {
    guard let first = processes.map(\.deadline).min() else { return }
    ChildProcess.wait(for: processes.map(\.child), until: first)
  }

  /// Reads the report that the process has written. Returns the result when there is one; the process has ended then.
  func advance() -> Result<PluginDescription, Failure>? {
    let hasEnded = child.readOutput()
    report.read(from: &child)
    // The child ends right after its report: further bytes are the plugin's.
    if report.isGarbage || report.isMore { return stop(.forgedReport) }
    if hasEnded || child.isReportOver {
      guard let text = report.next() else { return hasEnded ? stop(.ended) : late }
      guard let result = result(of: text) else { return stop(.forgedReport) }
      child.end()
      return result
    }
    return late
  }

  private var late: Result<PluginDescription, Failure>? { .now >= deadline ? stop(.timedOut) : nil }

  /// The reason for stopping a process that has reported no result.
  private enum Stop {
    case ended, timedOut, forgedReport
  }

  private func stop(_ reason: Stop) -> Result<PluginDescription, Failure> {
    let status = child.end()
    let finding =
      switch reason {
      case .ended where place.pointee == Self.isMute:
        "closed the descriptors of the process that read it\(child.lastLine)"
      case .ended:
        child.finding(.status(status)) + "; plugins are read without the rights to write, to start processes and to "
          + "use the network"
      case .timedOut: child.finding(.late(timeout))
      case .forgedReport: "wrote into the report of the process that read it\(child.lastLine)"
      }
    return .failure(
      Failure(reason == .timedOut ? .timedOut : .notLoaded, "\(target.subject): \(finding)".displayLine))
  }

  /// Returns the result in a report; nil if the report does not match this target.
  private func result(of text: [UInt8]) -> Result<PluginDescription, Failure>? {
    switch try? ScanReport(parsing: text) {
    case .description(let plugin): target.admits(plugin) ? .success(plugin) : nil
    case .failure(let failure): .failure(failure)
    case nil: nil
    }
  }
}
