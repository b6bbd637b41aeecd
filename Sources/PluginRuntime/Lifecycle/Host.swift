import Promises

/// A process's plugins: loads them, calls their functions, ends them.
///
///     let host = Host()
///     try host.load("/usr/lib/promise/digest.so")
///     host.call("sha256", of: "org.example.digest", [.value(.bytes(data))]).then { print($0) }
///
/// Everything may be called from any thread. Code that was loaded stays mapped until the process ends, and so does the
/// host once it has loaded a plugin, because plugins keep its table.
public final class Host: Sendable {
  /// The settings that the user of a host chooses.
  public struct Options: Sendable {
    /// The values that plugins find with `configuration()`: by plugin id, then key.
    public var configuration: [String: [String: String]]
    /// Receives the log messages of plugins, on the thread that logs. Must not wait: for a plugin in a worker process,
    /// that is the thread that reads the worker's answers.
    public var log: @Sendable (_ level: LogLevel, _ plugin: String, _ message: String) -> Void
    /// Receives the progress of every call, in order and one report at a time for each call, on a thread of the plugin.
    /// Must not wait: for a plugin in a worker process, that is the thread that reads the worker's answers.
    public var progress: @Sendable (ProgressReport) -> Void
    /// The limit on nested calls: functions of plugins that call functions, in this process and in workers. A deeper
    /// call is rejected with a `PluginError` of the kind `tooDeep`. Each nested call uses stack memory.
    public var recursionLimit = 256
    /// Wraps each call of unload() or of an object's destructor, on its thread, so that a program can attribute printed
    /// lines to the plugin. Must call `body` once.
    public var ending: @Sendable (_ plugin: String, _ body: () -> Void) -> Void = { $1() }

    /// Creates options. Without arguments there is no configuration, and log messages and progress are dropped.
    public init(
      configuration: [String: [String: String]] = [:],
      log: @escaping @Sendable (LogLevel, _ plugin: String, _ message: String) -> Void = { _, _, _ in },
      progress: @escaping @Sendable (ProgressReport) -> Void = { _ in }
    ) {
      self.configuration = configuration
      self.log = log
      self.progress = progress
    }
  }

  /// Calls a function of a plugin that this host does not have.
  typealias OtherPluginCall =
    @Sendable (_ function: String, _ plugin: String, _ arguments: [PluginValue]) -> Promise<PluginValue>

  let options: Options
  /// Calls the plugins of the host that started this worker process; `nil` in other processes.
  let callOtherPlugin: OtherPluginCall?
  let registry = PluginRegistry()
  let activity = HostActivity()
  let retainedArguments = RetainedArguments()
  let objects: LiveObjects
  /// Held while a plugin is loaded, so that two load() functions never run at the same time.
  let loading = RecursiveLock()

  /// Creates a host without plugins.
  public convenience init(_ options: Options = Options()) { self.init(options, callOtherPlugin: nil) }

  init(_ options: Options, callOtherPlugin: OtherPluginCall?) {
    self.options = options
    self.callOtherPlugin = callOtherPlugin
    objects = LiveObjects(ending: options.ending) { [log = options.log] in log(.error, $0, $1) }
  }
}
