/// A worker of an isolated plugin, as `IsolatedPlugin.workers` reports it.
public struct WorkerReport: Sendable, Equatable {
  /// The states in which a plugin's code is in a worker process; `IsolatedPlugin` draws their order.
  public enum State: Sendable { case active, draining }

  /// The number of the process among those of the plugin, from 1.
  public let generation: Int
  /// Active workers take new calls; draining ones end those that they have.
  public let state: State
  /// The calls that have not been answered.
  public let pending: Int
}
