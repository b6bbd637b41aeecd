import CPluginEdge

/// The end of a plugin's worker process, as the calls that were pending in it report it.
public struct WorkerEnd: Sendable, Equatable {
  /// The way in which a process ends.
  public enum Cause: Sendable, Equatable {
    /// Exited with a status, which may be 0.
    case exited(status: Int32)
    /// Killed by a signal.
    case killed(signal: Int32)
    /// Could not be started, for this reason.
    case notStarted(String)
    /// The system reports no status: the program ignores SIGCHLD, or other code of it has waited for the process.
    case unknown
  }

  /// The way in which the process ended.
  public let cause: Cause
  /// The reason why the host killed the process, or why the process could not go on: a passed deadline, a closed
  /// socket, bytes that are not frames; `nil` if it ended by itself.
  public let fault: String?
  /// Whether that reason is that the process did not start, or that initialisers, promise_plugin_entry(), load() or
  /// unload() did not return, in time.
  public let isLate: Bool
  /// The version of the plugin; `nil` if the process ended before it had been read.
  public let version: String?
  /// The number of the process among those of the plugin, from 1.
  public let generation: Int
  /// The time for which the call had been pending.
  public let pending: Duration
  /// The last lines that the process wrote to standard output and standard error.
  public let output: [String]
  /// The refusals of this process that no earlier rejection reported.
  public let refusals: [CapabilityRefusal]

  /// The end in one sentence, without the output.
  var sentence: String {
    let version = version.map { "version \($0), " } ?? ""
    let process = "its worker process (\(version)generation \(generation))"
    let end =
      switch cause {
      case .exited(let status): "\(process) exited with status \(status)"
      case .killed(let signal): "\(process) was killed by \(SignalName.of(signal))"
      case .notStarted(let reason): "\(process) could not be started: \(reason)"
      case .unknown: "\(process) ended, with a status that is unknown because \(Self.reasonForNoStatus)"
      }
    let reason = fault.map { "\($0); \(end)" } ?? end
    return refusals.isEmpty ? reason : "\(reason); it \(refusals.sentence)"
  }

  private static var reasonForNoStatus: String {
    plugin_process_ignores_children() ? "SIGCHLD is ignored" : "other code of this process has waited for it"
  }

  /// The text of a call's error: the end, the time, and the output.
  var message: String {
    let milliseconds = pending.components.seconds * 1000 + pending.components.attoseconds / 1_000_000_000_000_000
    return withOutput("\(sentence), \(milliseconds) ms after the call began")
  }

  /// The end and the output, for the log.
  var report: String { withOutput(sentence) }

  private func withOutput(_ sentence: String) -> String {
    output.isEmpty ? sentence : "\(sentence); it wrote last: \(output.joined(separator: " | "))"
  }

  func pending(for duration: Duration) -> WorkerEnd {
    WorkerEnd(
      cause: cause, fault: fault, isLate: isLate, version: version, generation: generation, pending: duration,
      output: output, refusals: refusals)
  }
}
