import Promises
import Synchronization

/// The part of a host that concerns one isolated plugin.
struct WorkerSettings: Sendable {
  /// The source as it was given. Each plugin generation resolves its symbolic links again.
  private(set) var requestedSource: PluginSource
  /// The source that the workers load: that of a plugin generation is resolved.
  private(set) var source: PluginSource
  /// The paths of the capabilities have no symbolic links.
  let options: IsolationOptions
  let host: Host.Options
  /// Calls a function of another plugin.
  let callOtherPlugin: Host.OtherPluginCall
  /// Refuses a plugin before its load() is called.
  private(set) var check: @Sendable (PluginDescription) throws(PluginError) -> Void
  /// The file of this plugin generation; if `nil`, each worker reads the file at its path.
  private(set) var file: KeptFile?
  /// Counts the processes of the plugin, across plugin generations.
  private(set) var generations = Generations()
  /// The gate at which the first worker waits before it loads the plugin; `nil`: it does not wait.
  private(set) var gate: LoadGate?
  /// The shared memory of large arguments of calls under way; `nil` for one worker.
  let pool: PoolMemory?
  /// Refuses a plugin whose requirements are not loaded.
  let requirements: @Sendable (PluginDescription) throws(PluginError) -> Void

  private static let workers = Atomic<UInt32>(0)

  /// A count that the workers of a plugin share.
  final class Generations: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  init(
    source: PluginSource, options: IsolationOptions, gate: LoadGate? = nil, host: Host.Options = Host.Options(),
    callOtherPlugin: @escaping Host.OtherPluginCall = { _, plugin, _ in
      .reject(PluginError(.unknownPlugin, plugin, "no plugin of this id is loaded"))
    },
    requirements: @escaping @Sendable (PluginDescription) throws(PluginError) -> Void = { _ in },
    check: @escaping @Sendable (PluginDescription) throws(PluginError) -> Void
  ) {
    self.requirements = requirements
    self.gate = gate
    requestedSource = source
    self.source = source
    var options = options
    options.capabilities.resolvePaths { try? PluginFile.resolve($0) }
    self.options = options
    self.host = host
    self.callOtherPlugin = callOtherPlugin
    self.check = check
    pool = options.pool > 1 ? PoolMemory() : nil
  }

  /// Returns the settings for the workers of a plugin generation, which load the file that the source leads to now.
  func keepingFile() throws(PluginError) -> WorkerSettings {
    var settings = self
    settings.source = try requestedSource.resolved()
    settings.file = try KeptFile(of: settings.source)
    return settings
  }

  /// Returns the settings for a worker that was started with `prepared`, and the workers after it: they load its file.
  func continuing(_ prepared: WorkerSettings) -> WorkerSettings {
    var settings = self
    (settings.source, settings.file, settings.generations) = (prepared.source, prepared.file, prepared.generations)
    return settings
  }

  /// Returns the settings for workers that replace those of `old`, with another adoption if one is given.
  func replacing(_ old: PluginDescription, adopting adoption: Adoption?) -> WorkerSettings {
    var settings = self
    if let adoption = adoption ?? old.adoption { settings.requestedSource = PluginSource(adoption) }
    settings.check = { [requirements] (new) throws(PluginError) in
      guard new.id == old.id else {
        throw PluginError(.replaced, new.path, "has the id '\(new.id)', expected '\(old.id)'")
      }
      try requirements(new)
    }
    return settings
  }

  /// Returns the name of the plugin in errors and in the log: its id, or the name of its source while the id is
  /// unknown.
  func id(_ description: PluginDescription?) -> String { description?.id ?? source.name }

  /// Returns a number for the handles of a new worker, different from those of the last 2^30 workers of the program.
  static func newWorker() -> UInt32 { workers.wrappingAdd(1, ordering: .relaxed).newValue & 0x3FFF_FFFF }
}
