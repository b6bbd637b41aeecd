import Promises

/// A process's plugins: loads them, calls their functions, ends them.
///
///     let host = Host()
///     try host.load("/usr/lib/promise/digest.so")
///     host.call("sha256", of: "org.example.digest", [.value(.bytes(data))]).then { print($0) }
///
/// Everything may be called from any thread. Code that was loaded stays mapped until the process ends, and so does the host once it
/// has loaded a plugin.
public final class Host: Sendable {
  public struct Options: Sendable {
    /// The values that plugins find with `configuration()`: by plugin id, then key.
    public var configuration: [String: [String: String]]
    /// Receives what plugins log, on the thread that does.
    public var log: @Sendable (_ level: LogLevel, _ plugin: String, _ message: String) -> Void
    /// Receives every call's progress, in order for each call, on the thread that reports it. A call may have a receiver of its own as well.
    public var progress: @Sendable (ProgressReport) -> Void

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

  public init(_ options: Options = Options()) {
    fatalError("declaration")
  }

  /// Verifies a plugin's file, maps it and reads its descriptor. Its load() is not called, but its constructors run.
  public static func inspect(_ path: String) throws(PluginError) -> PluginDescription {
    fatalError("declaration")
  }

  /// Loads a plugin, once: the same file again gives its description again. Its requirements must be loaded before.
  @discardableResult
  public func load(_ path: String) throws(PluginError) -> PluginDescription {
    fatalError("declaration")
  }

  /// Loads several plugins in the order of their requirements. Stops at the first that fails; those before it stay loaded.
  @discardableResult
  public func load(_ paths: [String]) throws(PluginError) -> [PluginDescription] {
    fatalError("declaration")
  }

  /// The loaded plugins, in the order in which they were loaded.
  public var plugins: [PluginDescription] { fatalError("declaration") }

  /// Calls a function. Whatever is wrong with the call rejects the promise, with a `PluginError`; what the plugin rejects it with
  /// arrives as a `PromiseError` for an ERROR, or as the Swift value that it stands for.
  ///
  /// Discarding the promise discards the plugin's.
  ///
  /// - Parameters:
  ///   - context: where the C function runs; `.immediate` is in this call, so that a function which blocks, blocks it.
  ///   - progress: receives this call's progress, before `Options.progress` does.
  public func call(
    _ function: String, of plugin: String, _ arguments: [Argument] = [], on context: PromiseContext = .immediate,
    progress: (@Sendable (ProgressReport) -> Void)? = nil
  ) -> Promise<PluginValue> {
    fatalError("declaration")
  }

  /// Ends every plugin: new calls are rejected, those that run have until the deadline to settle, what is pending then is discarded and
  /// rejected with a `PluginError` of kind `closed`; then each unload() is called, the last loaded first.
  ///
  /// - Returns: the ids of plugins whose unload() was not called since one of their functions still had not returned.
  @discardableResult
  public func unloadAll(deadline: Duration = .seconds(5)) -> [String] {
    fatalError("declaration")
  }
}
