import Promises

/// A plugin that a worker process has mapped and described, and whose load() was not called yet: a program that reads
/// the description first and loads the plugin afterwards needs one process for both.
///
/// `Host.load(_:isolation:)` loads it, at most once. Otherwise the worker is killed when the object is released.
package final class PreparedPlugin: Sendable {
  package let description: PluginDescription
  /// The settings with which the worker was started.
  let settings: WorkerSettings
  private let worker: StartingWorker
  private let gate: LoadGate

  /// Starts the worker for the plugin in a file.
  ///
  /// - Throws: `PluginError`, as `IsolatedPlugin.inspect`.
  package convenience init(file path: String, _ options: IsolationOptions) throws(PluginError) {
    try self.init(PluginSource(at: path), options)
  }

  /// Starts the worker for an adopted library.
  package convenience init(adopting adoption: Adoption, _ options: IsolationOptions) throws(PluginError) {
    try self.init(PluginSource(adoption), options)
  }

  private init(_ source: PluginSource, _ options: IsolationOptions) throws(PluginError) {
    let gate = LoadGate()
    self.gate = gate
    settings = try WorkerSettings(source: source, options: options, gate: gate) { (_) throws(PluginError) in }
      .keepingFile()
    worker = try StartingWorker(settings) { [gate] in gate.described(.failure($0)) }
    description = try gate.description()
  }

  deinit { gate.open(nil) }

  /// Calls the plugin's load() in the worker.
  ///
  /// - Parameter settings: those of a plugin that continues this one.
  /// - Throws: `PluginError`, as `Host.load(_:isolation:)`; `closed` if the plugin was loaded before, also in vain.
  func load(_ settings: WorkerSettings) throws(PluginError) -> PluginProcess {
    guard gate.open(settings) else {
      throw PluginError(
        .closed, settings.source.name,
        "cannot be loaded: its prepared worker has been used, expected one for each load. Prepare the plugin again")
    }
    return try PluginProcess(worker, settings)
  }
}

/// The place where the thread of a worker waits between the plugin's description and its load().
final class LoadGate: Sendable {
  private let described = Awaited<Result<PluginDescription, PluginError>>()
  private let settings = Awaited<WorkerSettings?>()

  /// Reports the description, or the reason why there is none.
  func described(_ outcome: Result<PluginDescription, PluginError>) { described.set(outcome) }

  /// Waits for the description.
  func description() throws(PluginError) -> PluginDescription { try described.wait().get() }

  /// Lets the plugin be loaded with other settings; `nil`: lets the worker be killed. Only the first call counts;
  /// returns whether this is the first.
  @discardableResult
  func open(_ settings: WorkerSettings?) -> Bool { self.settings.set(settings) }

  /// Reports the description, and waits for the settings; `nil`: the plugin is not loaded.
  func pass(_ description: PluginDescription) -> WorkerSettings? {
    described.set(.success(description))
    return settings.wait()
  }
}
