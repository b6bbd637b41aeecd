/// A worker of an isolated plugin, as `IsolatedPlugin.workers` reports it.
public struct WorkerReport: Sendable, Equatable {
  /// The states of a plugin generation that the host can report; `LoadedPlugin` draws their order.
  public enum State: Sendable {
    /// Loaded by a reload that is not over: the plugin may still be asked for its health.
    case loaded
    /// Takes new calls.
    case active
    /// Ends the calls that it has.
    case draining
    /// The process has ended, or has not yet loaded the plugin. The next call starts another process.
    case unloaded
    /// Processes have ended too often without an answer. For `IsolationOptions.coolDown` no call starts another one.
    case quarantined
  }

  /// The number of the process among those of the plugin, from 1.
  public let generation: Int
  /// The state of the plugin in the process.
  public let state: State
  /// The number of calls that have not been answered.
  public let pending: Int
  /// The number of results that the worker keeps, because a later call took them and nobody has read them.
  public let kept: Int
  /// The size of those results in bytes.
  public let keptBytes: UInt64
  /// The number of bytes that crossed to the worker and its predecessors, with those in shared memory.
  public let sent: UInt64
  /// The number of bytes that crossed from the worker and its predecessors, with those in shared memory.
  public let received: UInt64
}

extension WorkerReport {
  /// `state`: that of a process which has loaded the plugin.
  init(_ process: PluginProcess, _ state: State) {
    let traffic = process.traffic
    self.init(
      generation: process.generation, state: process.absence ?? state, pending: process.pending,
      kept: traffic.kept.count, keptBytes: traffic.kept.bytes, sent: traffic.sent, received: traffic.received)
  }
}
