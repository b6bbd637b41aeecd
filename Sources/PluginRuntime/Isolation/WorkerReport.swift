/// A worker of an isolated plugin, as `IsolatedPlugin.workers` reports it.
public struct WorkerReport: Sendable, Equatable {
  /// The states in which a plugin's code is in a worker process; `LoadedPlugin` draws their order.
  public enum State: Sendable { case active, draining }

  /// The number of the process among those of the plugin, from 1.
  public let generation: Int
  /// Active workers take new calls; draining ones end those that they have.
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
  init(_ process: PluginProcess, _ state: State) {
    let traffic = process.traffic
    self.init(
      generation: process.generation, state: state, pending: process.pending, kept: traffic.kept.count,
      keptBytes: traffic.kept.bytes, sent: traffic.sent, received: traffic.received)
  }
}
