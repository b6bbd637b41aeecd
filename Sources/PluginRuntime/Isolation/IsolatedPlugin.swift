import Dispatch
import Promises
import Synchronization

/// A plugin that runs in worker processes of its own: their end is a rejection, not the end of the program.
///
///     let plugin = try IsolatedPlugin(loading: "/usr/lib/promise/digest.so", options)
///     plugin.call("sha256", [.value(.bytes(data))]).then { print($0) }
///
/// Functions take the arguments and return the results that they have in the program's own process. When a process
/// ends, the promises of its calls are rejected with a `PluginError` of the kind `workerEnded`; the next call starts
/// another process, with the next number (`WorkerReport.generation`). Addresses (`ptr<T>`) are handles, bound to their
/// process: a call with a handle is made by the worker that returned it.
///
/// `LoadedPlugin` has the drawing of the life of a plugin generation (`PluginGeneration`), which `reload` and `unload`
/// move on. Draining workers take no new calls. They unload the plugin when their calls have ended, or at a deadline,
/// when the calls are rejected.
///
/// Everything may be called from any thread. Callbacks run on threads of this library, as do the reactions of promises.
/// `docs/isolation.md` describes the types that cross the boundary.
public final class IsolatedPlugin: Sendable {
  struct State {
    /// The workers that take calls.
    var active: [PluginProcess]
    /// Workers that a reload has started, until it is over.
    var loaded: [PluginProcess] = []
    /// Workers of earlier plugin generations, until they have ended.
    var draining: [PluginProcess] = []
    /// The number of plugin generations before the active one.
    var reloads = 0
    /// Whether `unload` was called.
    var isClosed = false
  }

  let state: Mutex<State>
  let flow: CallFlow
  let settings: WorkerSettings
  /// Held while a plugin generation is exchanged, and by `unload`.
  let exchange = RecursiveLock()

  /// Starts the workers, in which the plugin's file is verified, mapped and loaded.
  ///
  /// Returns when load() has returned, or its time limit has passed.
  ///
  /// - Parameters:
  ///   - path: the path of the plugin's file.
  ///   - options: the program that is the worker, the number of workers, the time limits, the limits for calls.
  ///   - host: the values for `configuration()`, and the receivers of log and progress, which must not wait: they are
  ///     called on the thread that reads what the worker sends.
  /// - Throws: `PluginError`, as `Host.load`; `workerEnded`.
  public convenience init(
    loading path: String, _ options: IsolationOptions, host: Host.Options = Host.Options()
  ) throws(PluginError) {
    try self.init(
      WorkerSettings(
        source: PluginSource(at: path), options: options, host: host,
        requirements: { (description) throws(PluginError) in try Self.refuseRequirements(of: description) },
        check: { (description) throws(PluginError) in try Self.refuseRequirements(of: description) }))
  }

  /// Refuses a plugin that requires others: there are none outside of a host.
  private static func refuseRequirements(of description: PluginDescription) throws(PluginError) {
    guard let id = description.required.first else { return }
    throw PluginError(.missingRequirement(id), description.path, "requires the plugin '\(id)', which is not loaded")
  }

  /// - Parameter prepared: the plugin, if a worker has mapped it already.
  init(_ settings: WorkerSettings, _ prepared: PreparedPlugin? = nil) throws(PluginError) {
    self.settings = settings
    flow = CallFlow(settings.options.limits)
    var started: [PluginProcess] = []
    try Self.start(settings, &started, prepared)
    state = Mutex(State(active: started))
  }

  /// Starts the workers of a plugin generation. If one fails, `started` has those before it.
  static func start(
    _ settings: WorkerSettings, _ started: inout [PluginProcess], _ prepared: PreparedPlugin? = nil
  ) throws(PluginError) {
    var settings = settings
    if let prepared {
      settings = settings.continuing(prepared.settings)
      started.append(try prepared.load(settings))
    } else {
      settings = try settings.keepingFile()
    }
    while started.count < max(1, settings.options.pool) { started.append(try PluginProcess(settings)) }
  }

  /// Reads the description of a plugin in a worker process, which is then killed. Its load() is not called.
  public static func inspect(_ path: String, _ options: IsolationOptions) throws(PluginError) -> PluginDescription {
    try inspect(.file(PluginFile.resolve(path)), options)
  }

  /// Reads the description of an adopted library in a worker process, which is then killed.
  public static func inspect(_ adoption: Adoption, _ options: IsolationOptions) throws(PluginError) -> PluginDescription
  {
    try inspect(.adoption(adoption), options)
  }

  private static func inspect(
    _ source: PluginSource, _ options: IsolationOptions
  ) throws(PluginError) -> PluginDescription {
    let seen = Mutex<PluginDescription?>(nil)
    do throws(PluginError) {
      let settings = WorkerSettings(source: source, options: options) { (description) throws(PluginError) in
        seen.withLock { $0 = description }
        throw PluginError(.closed, source.name, "is only looked at")
      }
      return try PluginProcess(settings).description
    } catch {
      if let description = seen.withLock({ $0 }) { return description }
      throw error
    }
  }

  /// The plugin's own description of itself, in the active plugin generation.
  public var description: PluginDescription { state.withLock { $0.active[0].description } }

  /// The active plugin generation.
  public var generation: PluginGeneration {
    state.withLock { state in
      PluginGeneration(number: state.reloads, description: state.active[0].description, file: state.active[0].file)
    }
  }

  /// The workers, those of the active plugin generation first.
  public var workers: [WorkerReport] {
    let (active, loaded, draining) = state.withLock { ($0.active, $0.loaded, $0.draining) }
    return active.map { WorkerReport($0, .active) } + loaded.map { WorkerReport($0, .loaded) }
      + draining.map { WorkerReport($0, .draining) }
  }

  /// Ends the plugin: rejects new calls, waits for the calls that are pending, calls unload(), and waits for the
  /// processes to exit. A process that exceeds its time limit is killed.
  ///
  /// Idempotent. A concurrent call waits for the first one.
  ///
  /// - Parameter deadline: the time after which pending calls are rejected, with a `PluginError` of kind `closed`.
  public func unload(deadline: Duration = .seconds(5)) {
    // Before it waits for a reload, which notices it.
    state.withLock { $0.isClosed = true }
    exchange.withLock {
      let end = ContinuousClock.now + deadline
      let error = PluginError(.closed, description.id, "had not been called when the host shut down")
      let waiting = flow.close(deadline: .now() + deadline.interval)
      // Not on this thread: reactions to the rejection may reload or unload the plugin.
      for call in waiting { WorkerLink.deliveries.run { call.promise.reject(error) } }
      WorkerLink.deliveries.release(all: consume waiting)
      let processes = state.withLock { $0.active + $0.draining }
      for process in processes { process.beginClosing(end: end) }
      for process in processes { process.waitUntilEnded() }
    }
  }
}
