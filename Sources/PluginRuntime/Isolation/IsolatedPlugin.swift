import Dispatch
import Promises
import Synchronization

/// A plugin that runs in a worker process of its own: its end is a rejection, not the end of the program.
///
///     let plugin = try IsolatedPlugin(loading: "/usr/lib/promise/digest.so", options)
///     plugin.call("sha256", [.value(.bytes(data))]).then { print($0) }
///
/// Functions take the arguments and give the results that they have in the program's own process.
/// When the process ends, the promises of its calls are rejected with a `PluginError` of the kind `workerEnded`; the next
/// call starts another process, a new generation. Addresses (`ptr<T>`) are handles, bound to their generation.
///
/// Everything may be called from any thread. Callbacks run on threads of this library, as do the reactions of promises.
/// `docs/isolation.md` describes how each type crosses the boundary.
public final class IsolatedPlugin: Sendable {
  /// The plugin's own description of itself.
  public let description: PluginDescription
  private let link: WorkerLink
  private let settings: WorkerSettings
  /// Signalled when the thread that serves the link has ended.
  private let ended: DispatchSemaphore

  private static let calls = Atomic<UInt64>(1 << 32)

  /// Starts a worker, in which the plugin's file is verified, mapped and loaded.
  ///
  /// Returns when load() has returned, or its time is over.
  ///
  /// - Parameters:
  ///   - path: of the plugin's file.
  ///   - options: the program that is the worker, and the time limits.
  ///   - host: the values for `configuration()`, and the receivers of log and progress, which must not wait: they are
  ///     called on the thread that reads what the worker sends.
  /// - Throws: `PluginError`, as `Host.load`; `notIsolated` if the plugin has a function that cannot be called from
  ///   another process; `workerEnded`.
  public convenience init(
    loading path: String, _ options: IsolationOptions, host: Host.Options = Host.Options()
  ) throws(PluginError) {
    try self.init(
      WorkerSettings(
        source: .file(PluginFile.resolve(path)), options: options, host: host,
        check: { (description) throws(PluginError) in
          try IsolationRule.check(description)
          if let id = description.required.first {
            throw PluginError(
              .missingRequirement(id), description.path, "requires the plugin '\(id)', which is not loaded")
          }
        }))
  }

  init(_ settings: WorkerSettings) throws(PluginError) {
    try settings.options.capabilities.check(settings.source.name)
    guard let link = WorkerLink() else {
      throw PluginError(.loadFailed, settings.source.name, "cannot be loaded: the program has no descriptors left")
    }
    let ended = DispatchSemaphore(value: 0)
    let start = WorkerStart()
    guard
      ProcessGuard.startThread({
        WorkerServer(link, settings, started: start.end).run()
        ended.signal()
      })
    else {
      throw PluginError(.loadFailed, settings.source.name, "cannot be loaded: the program has no threads left")
    }
    description = try start.wait()
    self.link = link
    self.settings = settings
    self.ended = ended
  }

  /// Reads the description of a plugin in a worker process, which is killed then. Its load() is not called.
  public static func inspect(_ path: String, _ options: IsolationOptions) throws(PluginError) -> PluginDescription {
    try inspect(.file(PluginFile.resolve(path)), options)
  }

  /// Reads the description of an adopted library in a worker process, which is killed then.
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
      return try IsolatedPlugin(settings).description
    } catch {
      if let description = seen.withLock({ $0 }) { return description }
      throw error
    }
  }

  deinit { link.beginClosing(end: .now) }

  /// Calls a function, as `Host.call` does.
  ///
  /// Discarding the promise asks the worker to stop the call. If the function has not returned after
  /// `IsolationOptions.grace`, the worker is killed.
  ///
  /// - Parameters:
  ///   - timeout: the time after which the call is stopped in the same way; `nil` for none.
  ///   - progress: receives the progress of the call before its promise is settled. Must not wait: it is called on the
  ///     thread that reads what the worker sends.
  public func call(
    _ function: String, _ arguments: [Argument] = [], timeout: Duration?,
    progress: (@Sendable (ProgressReport) -> Void)? = nil
  ) -> Promise<PluginValue> {
    guard let signature = description.functions.first(where: { $0.name == function })?.signature else {
      let names = description.functions.map(\.name).joined(separator: ", ")
      return .reject(
        PluginError(
          .unknownFunction, description.id, "has no function '\(function)'; it has \(names.isEmpty ? "none" : names)"))
    }
    let request = link.newRequest()
    var outgoing = OutgoingArguments(arguments, link)
    let frame: EncodedFrame
    do throws(CBORError) {
      frame = try Frame(.call, request, .array([.string(function), outgoing.body]), memory: outgoing.memory).encoded()
    } catch {
      return .reject(
        PluginError(.badArgument, "\(description.id).\(function)", "is given an argument that \(error)"))
    }
    // A call that waits for its answer keeps no descriptors.
    outgoing.memory = []
    let grace = settings.options.grace
    let promise = Promise<PluginValue>(discard: { [link] in link.cancel(request, grace: grace) })
    let call = RemoteCall(
      function: function, signature: signature, promise: promise, progress: progress,
      number: Self.calls.wrappingAdd(1, ordering: .relaxed).newValue,
      arguments: outgoing, frame: frame,
      deadline: timeout.map { .now + $0 }, timeout: timeout)
    guard link.begin(call, request) else {
      promise.reject(
        PluginError(
          .closed, "\(description.id).\(function)",
          "is not called any more: its worker process is shut down, or reads nothing"))
      return promise
    }
    return promise
  }

  /// Ends the plugin. New calls are rejected; those under way have until the deadline, and are then given up and
  /// rejected with a `PluginError` of kind `closed`. Then unload() is called, and the process exits, or is killed when
  /// its time is over. The second call waits for nothing.
  public func unload(deadline: Duration = .seconds(5)) {
    link.beginClosing(end: .now + deadline)
    ended.wait()
    ended.signal()
  }
}

extension IsolatedPlugin: RemotePlugin {
  func call(
    _ function: String, _ arguments: [Argument], progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue> {
    call(function, arguments, timeout: nil, progress: progress)
  }
}

/// The first outcome of a worker, for the thread that waits for it.
private final class WorkerStart: Sendable {
  private let outcome = Mutex<Result<PluginDescription, PluginError>?>(nil)
  private let ready = DispatchSemaphore(value: 0)

  func end(_ result: Result<PluginDescription, PluginError>) {
    outcome.withLock { $0 = result }
    ready.signal()
  }

  /// Waits; every stage of a worker has a time limit.
  func wait() throws(PluginError) -> PluginDescription {
    ready.wait()
    guard let result = outcome.withLock({ $0 }) else {
      throw PluginError(.loadFailed, "plugin-worker", "ended without an outcome")
    }
    return try result.get()
  }
}
