import CPromise
import Dispatch
import Synchronization

/// A plugin that a host has loaded: its functions, its table of the host, the calls of it that are not over.
///
/// It lives as long as the process, as the plugin's code does, which may use the table at any time.
///
/// The life of a plugin, in the program's process (`Host`) and in workers (`IsolatedPlugin`), where each plugin
/// generation has one:
///
///     verified --load()--> loaded --health()--> active --unload, reload--> draining --> unloaded
///      |    \- refused: -----\- rejected: --------|-----------------------------------------^
///      |                                          | workers end five times in a row without an answer
///      \- its hash is listed: ----------> quarantined --a day, or released--> may be verified again
///
/// | | in-process | in workers |
/// | --- | --- | --- |
/// | verified | `LibraryDependencyOrder`; the program may refuse it: `LibraryAdmission` | the same, in the worker |
/// | loaded | `load(_:)` has returned | the frame `loaded` has arrived |
/// | active | at once: `PluginRegistry.add` | after `health()`, if it has one: `State.active` |
/// | draining | `HostActivity` of its host, which drains all plugins at once | `State.draining` |
/// | unloaded | `unload()` has returned; the code stays mapped | the process has ended |
/// | quarantined | refused by the rule of `plugin-host` | the circuit is open (`WorkerServer`), then as in-process |
///
/// `reload` is for workers only. If a new plugin generation is refused or rejected, the one before stays active, after
/// `resume()` if it was quiesced.
final class LoadedPlugin: Sendable {
  // The table is read-only after init.
  nonisolated(unsafe) let table: UnsafePointer<promise_host_t>
  let host: Host
  let file: FileIdentity
  let description: PluginDescription
  let functions: [String: BoundFunction]
  let calls = CallTable()
  let callbacks: CallbackRegistry
  let configuration: Configuration
  /// The thread that all of the plugin's functions run on; if `nil`, each runs where it is called.
  let thread: SerialThread?
  /// The calls that wait for the thread.
  private let waiting = Mutex<[UInt64: PluginCall]>([:])
  private let unloadFunction: PluginDescriptor.Unload?

  init(
    _ descriptor: PluginDescriptor, of library: SharedLibrary, host: Host, thread: SerialThread?
  ) throws(PluginError) {
    let description = descriptor.description
    let (log, id) = (host.options.log, description.id)
    let callbacks = CallbackRegistry { log($0, id, $1) }
    var functions: [String: BoundFunction] = [:]
    for (function, entry) in zip(description.functions, descriptor.entries) {
      guard
        let bound = BoundFunction(
          function.signature, entry, plugin: description.id, callbacks: callbacks,
          library: PluginLibrary(plugin: id, objects: host.objects, symbol: { library.symbol($0) }, thread: thread))
      else {
        throw PluginError(
          .badDescriptor, library.path, "has a function that this machine cannot call: \(function.signature)")
      }
      functions[function.name] = bound
    }
    self.host = host
    self.thread = thread
    self.description = description
    self.functions = functions
    self.callbacks = callbacks
    file = library.file
    configuration = Configuration(host.options.configuration[description.id] ?? [:])
    unloadFunction = descriptor.unload
    let storage = HostTable.make()
    table = UnsafePointer(storage)
    HostTable.fill(storage, for: self)
  }

  func function(_ name: String) throws(PluginError) -> BoundFunction {
    guard let function = functions[name] else { throw description.unknownFunction(name) }
    return function
  }

  /// Calls the plugin's load(), if it has one.
  func load(_ function: PluginDescriptor.Load?) throws(PluginError) {
    guard let function else { return }
    var error = promise_value_t()
    error.kind = promise_kind_t(PROMISE_KIND_VOID)
    let (status, fault) = CallEdge.load(description.path, function, table, &error)
    defer { promise_value_release(&error) }
    if let fault { throw fault.error(description.path, of: "load() ") }
    guard status < 0 else { return }
    let name = String(cString: promise_status_name(status))
    let reason: String? =
      switch Int(error.kind) {
      case Int(PROMISE_KIND_VOID): nil
      case Int(PROMISE_KIND_ERROR), Int(PROMISE_KIND_STRING):
        promise_value_data(&error, nil).map { String(cString: $0) }
      // For an OBJECT, promise_value_data() does not return a text.
      default: error.nameOfContent
      }
    let message = reason.map { "refuses to be loaded: \($0) (\(name))" } ?? "refuses to be loaded: \(name)"
    throw PluginError(.refused(status), description.path, message)
  }

  /// Calls the plugin's unload(), if it has one, on its thread, once none of the plugin's code runs.
  ///
  /// - Returns: false, without a call, if a function has not returned, a handler does not return by the deadline, or
  ///   the thread is not free by then, because code of another plugin runs on it.
  func unload(deadline: DispatchTime) -> Bool {
    guard calls.close(deadline: deadline) else { return false }
    if let thread { return thread.wait(deadline: deadline) { [self] in unloadHere() } }
    unloadHere()
    return true
  }

  /// Calls unload(). No caller waits for its outcome, so a fault is logged. Then the plugin's callbacks end.
  private func unloadHere() {
    defer { callbacks.close() }
    guard let unloadFunction else { return }
    var fault: EdgeFault?
    host.options.ending(description.id) { fault = CallEdge.unload(description.id, unloadFunction) }
    guard let fault else { return }
    host.options.log(.error, description.id, fault.error(description.id, of: "unload() ").message)
  }
}

// The plugin's own thread.
extension LoadedPlugin {
  /// The calls that wait for the thread.
  var queued: [PluginCall] { waiting.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } }

  /// Whether a call from this thread has to wait for the plugin's thread.
  var isElsewhere: Bool { thread.map { !$0.isCurrent } ?? false }

  /// Runs the function of a call on the plugin's thread. A call that waits for the thread counts as under way.
  func enter(_ call: PluginCall, _ body: @escaping @Sendable () -> Void) {
    // On the thread, the call runs at once, and a longjmp() may leave it. A host that is closed rejects the call.
    guard let thread, !thread.isCurrent, host.activity.begin() else { return body() }
    let depth = CallStack.depth
    waiting.withLock { $0[call.id] = call }
    thread.run { [self] in
      waiting.withLock { _ = $0.removeValue(forKey: call.id) }
      CallStack.at(depth, body)
      host.activity.end()
    }
  }

  /// Runs plugin code, such as the handlers of a discarded promise, on the plugin's thread without waiting; inline if
  /// it has no thread. The plugin is not unloaded before the code has returned.
  func post(_ body: @escaping @Sendable () -> Void) {
    calls.beginHandler()
    let counted: SerialThread.Job = { [calls] in
      body()
      calls.endHandler()
    }
    if let thread, !thread.isCurrent { thread.post(counted) } else { counted() }
  }
}
