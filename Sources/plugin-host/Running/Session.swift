import Glibc
import PluginRuntime
import Promises
import Synchronization

/// Loaded plugins, and the loop and the threads that a command runs them with.
@MainActor
final class Session {
  nonisolated let loop: MainLoop
  /// The threads for calls. Many, because functions may wait for each other.
  nonisolated let callThreads = CallThreads(limit: 1_000)
  /// The threads that discard calls, separate so that they do not wait for calls that never end. As many, because
  /// discard blocks may not return either.
  nonisolated let endingThreads = CallThreads(limit: 1_000)
  nonisolated let host: Host
  /// The threads of plugins that have one of their own, by their ids.
  nonisolated let lanes: [String: CallLane]
  /// The time that a function has to return after its call was given up. Until then it counts as a call.
  nonisolated let patience: Duration
  /// Whether a call was given up.
  nonisolated let givesUp = Atomic(false)
  private let log: PluginLog
  private var workers: IsolationOptions
  private var watcher: PluginWatcher?
  private let faults = Faults()

  /// Loads the plugins, in their order.
  init(_ plan: PluginPlan, options: HostOptions, settings: [PluginSetting] = []) throws(Failure) {
    do {
      loop = try MainLoop()
    } catch {
      // Initialisers may have used up the descriptors.
      let here = plan.plugins.filter { plan.place(of: $0).isHere }.map(\.path)
      let cause = here.isEmpty ? "" : "; code that has run in this process: \(here.joined(separator: ", "))"
      throw Failure(.rejected, "cannot make a loop for the main thread: \(error)\(cause)".displayLine)
    }
    log = PluginLog(threshold: options.log, loop: loop)
    patience = options.search.timeout?.duration ?? .seconds(30)
    lanes = Dictionary(
      plan.plugins.compactMap { plugin in plan.ownThread(of: plugin).map { (plugin.id, CallLane($0)) } }
    ) { first, _ in first }
    workers = options.workers
    workers.unloadFailed = { [loop, log, faults] error in
      let failure = Failure(unloading: error)
      loop.post {
        faults.first = faults.first ?? failure.status
        log.write(failure)
      }
    }
    var hostOptions = Host.Options(
      configuration: try (settings + options.settings).resolved(for: plan.plugins),
      log: { [log] level, plugin, message in log.post(level, plugin: plugin, message: message) })
    hostOptions.recursionLimit = options.recursionLimit
    hostOptions.ending = { plugin, body in PluginOutput.attributing(to: plugin, body) }
    host = Host(hostOptions)
    loop.restoresSignals = plan.plugins.contains { plan.place(of: $0).isHere }
    do {
      for plugin in plan.plugins { try Self.load(plugin, of: plan, into: host, workers) }
    } catch {
      let failure = Failure(loading: error)
      ProcessGuard.ending(failure.status.rawValue)
      // Plugins earlier in the order are already loaded.
      host.unloadAll(deadline: .seconds(1))
      loop.runPosted()
      throw failure
    }
  }

  /// Loads one more plugin of the plan. The plugins that it requires are already loaded.
  func load(_ plugin: PluginDescription, of plan: PluginPlan) throws(Failure) {
    if plan.place(of: plugin).isHere { loop.restoresSignals = true }
    do {
      try Self.load(plugin, of: plan, into: host, workers)
    } catch {
      throw Failure(loading: error)
    }
  }

  private static func load(
    _ plugin: PluginDescription, of plan: PluginPlan, into host: Host, _ workers: IsolationOptions
  ) throws(PluginError) {
    let workers = plan.options(workers, of: plugin).namingOutput(plugin.id)
    if plan.place(of: plugin).isHere { PluginOutput.note(loaded: plugin.id) }
    defer { TerminationSignals.restoreDispositions() }
    let (id, path) = (plugin.id, plugin.path)
    let loaded =
      switch (plan.place(of: plugin), plugin.adoption) {
      case (.inProcess, let adoption?):
        try PluginOutput.attributing(to: id) { () throws(PluginError) in try host.adopt(adoption) }
      case (.inProcess, nil):
        try PluginOutput.attributing(to: id) { () throws(PluginError) in try host.load(path) }
      case (.thread, let adoption?):
        try PluginOutput.attributing(to: id) { () throws(PluginError) in
          try host.adopt(adoption, on: plan.thread(of: plugin))
        }
      case (.thread, nil):
        try PluginOutput.attributing(to: id) { () throws(PluginError) in
          try host.load(path, on: plan.thread(of: plugin))
        }
      case (.process, let adoption):
        if let prepared = plan.prepared(plugin) {
          try host.load(prepared, isolation: workers)
        } else if let adoption {
          try host.adopt(adoption, isolation: workers)
        } else {
          // By the path with its symbolic links, which a reload follows as they are then.
          try host.load(plan.file(of: plugin), isolation: workers)
        }
      }
    guard loaded.id == id else {
      throw PluginError(
        .badDescriptor, path,
        "had the id '\(id)' when it was described, and '\(loaded.id)' when it was loaded: "
          + "promise_plugin_entry() has to return the same id each time")
    }
    // The command line or the pipeline was checked with the description.
    guard loaded.functions == plugin.functions, loaded.required == plugin.required else {
      throw PluginError(.replaced, path, "has other functions or requirements than when it was described")
    }
  }

  /// Calls a function. Until the call is settled, lines that are printed in this process are attributed to its plugin.
  nonisolated func call(
    _ function: FunctionDescription, of plugin: PluginDescription, _ arguments: [Argument],
    progress: @escaping @Sendable (ProgressReport) -> Void
  ) -> Promise<PluginValue> {
    let id = plugin.id
    let isHere = PluginOutput.enterCall(of: id)
    let promise = host.call(function.name, of: id, arguments, progress: progress)
    // Attached first, so that the lines are printed before the result and its consequences.
    if isHere { promise.then({ _ in PluginOutput.leave(id) }, { _ in PluginOutput.leave(id) }) }
    return promise
  }

  /// Reloads plugins in worker processes whose files change, and logs that, until the process ends.
  func watchFiles(of plan: PluginPlan) throws(Failure) {
    let prepare: PluginWatcher.Preparation = { (plugin) throws(PluginError) in
      do throws(Failure) {
        return try plan.adoption(inFileOf: plugin)
      } catch {
        throw PluginError.rolledBack(plugin.id, because: error.lines.joined(separator: "; "))
      }
    }
    do {
      watcher = try PluginWatcher(host, prepare: prepare) { [loop, log] plugin, outcome in
        loop.post {
          switch outcome {
          case .success: log.write(.warning, plugin: plugin, message: "its file has changed; new calls use it")
          case .failure(let error): log.write(.error, plugin: plugin, message: error.message)
          }
        }
      }
    } catch {
      throw Failure(.rejected, "\(error)".displayLine)
    }
  }

  /// Redirects the plugins' log to `board`, between its lines.
  func show(on board: ProgressBoard) {
    log.board = board
  }

  /// Unloads the plugins, then ends the process. Calls that are still running have `deadline` to return; `nil`: 5 s, or
  /// 1 s if a call was given up, which may never return. The status is that of the first worker that did not unload its
  /// plugin, if nothing else failed.
  func end(_ status: ExitStatus, deadline: Duration? = nil) -> Never {
    let deadline = deadline ?? .seconds(givesUp.load(ordering: .relaxed) ? 1 : 5)
    ProcessGuard.ending(status.rawValue)
    let isClean = unload(deadline: deadline)
    let status = status == .fulfilled ? faults.first ?? status : status
    // Destructors and exit handlers must not run while a function has not returned.
    if isClean {
      PluginOutput.endAtExit()
      ProcessGuard.exit(status.rawValue)
    }
    PluginOutput.end()
    fflush(nil)
    _exit(status.rawValue)
  }

  /// Runs `body`, which reads files or writes a result, and may wait for another process. A signal that arrives
  /// meanwhile interrupts the wait, and ends the process after the plugins are unloaded.
  func endingBySignals<T>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    let (result, signal) = loop.recordingSignals { () -> Result<T, Failure> in
      Result { () throws(Failure) in try FileBytes.interrupting(when: { TerminationSignals.isNoted }, body) }
    }
    if let signal { end(by: signal) }
    return try result.get()
  }

  /// Unloads the plugins, then ends the process by the signal that requested it.
  func end(by signal: Int32) -> Never {
    _ = unload(deadline: .seconds(1))
    die(by: signal)
  }

  /// Ends the process by a signal, without unloading the plugins.
  func die(by signal: Int32) -> Never {
    PluginOutput.end()
    TerminationSignals.die(by: signal)
  }

  /// Unloads all plugins. Returns whether each was unloaded. The loop keeps running meanwhile, for log messages and
  /// interruptions.
  private func unload(deadline: Duration) -> Bool {
    // A reload that has begun does not continue once its plugin is to be unloaded.
    watcher?.stop()
    let end = Ending()
    // A thread of its own: the others may all wait for discard blocks.
    CallThreads(limit: 1).run { [host, loop] in
      let stuck = host.unloadAll(deadline: deadline)
      loop.post { end.stuck = stuck }
    }
    if let signal = loop.runEnding(until: { end.stuck != nil }) { TerminationSignals.die(by: signal) }
    loop.runPosted()
    for id in end.stuck ?? [] {
      log.write(.warning, plugin: id, message: "a function has not returned; not unloaded")
    }
    return end.stuck?.isEmpty ?? false
  }

  @MainActor
  private final class Faults {
    /// The status for the first worker that did not unload its plugin.
    var first: ExitStatus?
  }

  @MainActor
  private final class Ending {
    /// The ids of the plugins that could not be unloaded; nil while they are being unloaded.
    var stuck: [String]?
  }
}
