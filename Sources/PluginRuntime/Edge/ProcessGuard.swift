import CPluginEdge
import Glibc

/// Guards a program against plugin code that ends its process: by exit(), by a fatal signal, or by not returning.
///
/// Each such end is reported on standard error with the plugin and the function that was running on the thread. A fatal
/// signal then ends the process as before; exit() and a passed time limit end it with a status that the program has
/// chosen.
public enum ProcessGuard {
  /// The exit statuses of a process that plugin code ends.
  public struct Statuses: Sendable {
    /// The status of an exit in a call, in unload(), or on a thread of the plugin; -1 keeps the plugin's status.
    public var call: Int32
    /// The status of an exit while a plugin is loaded; -1 keeps the plugin's status.
    public var load: Int32
    /// The status after plugin code that has not returned in time.
    public var timeout: Int32

    /// Creates the statuses, none of which should be 0.
    public init(call: Int32, load: Int32, timeout: Int32) {
      self.call = call
      self.load = load
      self.timeout = timeout
    }
  }

  /// Installs the guard. A second call changes only the timeout.
  ///
  /// - Parameters:
  ///   - program: the name at the beginning of each message.
  ///   - timeout: how long each of a plugin's initialisers, promise_plugin_entry(), load() and unload() may take, and
  ///     its exit handlers and destructors after `exit`.
  ///   - inJSON: whether a report is one line of JSON, as `plugin_activity.h` shows it, instead of a sentence.
  public static func install(program: StaticString, statuses: Statuses, timeout: Duration, inJSON: Bool = false) {
    let (seconds, attoseconds) = timeout.components
    let nanoseconds = min(seconds, Int64.max / 2_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    program.withUTF8Buffer { name in
      // A static string ends with a NUL and is never freed.
      name.withMemoryRebound(to: CChar.self) { name in
        guard let name = name.baseAddress else { return }
        var settings = plugin_activity_guard_t(
          program: name, call_status: statuses.call, load_status: statuses.load, timeout_status: statuses.timeout,
          timeout_ns: nanoseconds, json: inJSON)
        plugin_activity_guard(&settings)
      }
    }
  }

  /// Gives this thread a stack for signal handlers, so that a stack overflow is reported too. Call it on each thread
  /// that calls functions of plugins.
  public static func prepareThread() { plugin_activity_prepare_thread() }

  /// The state that threads begin with: that of the thread that starts the first one. Otherwise a thread would inherit
  /// the blocked signals of its creator, which a plugin's function may just have changed.
  private static let initialState = plugin_thread_state()

  /// Runs a closure on a new thread that is prepared for functions of plugins. Returns false, and runs nothing, if no
  /// thread can be started.
  public static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let start = Unmanaged.passRetained(ThreadStart(body, initialState))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        plugin_activity_prepare_thread()
        if let argument { Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, start.toOpaque())
    if status == 0 { pthread_detach(thread) } else { start.release() }
    return status == 0
  }

  /// Announces that the program is about to exit with this status: plugin code that runs until then cannot turn a
  /// failure into a success.
  public static func ending(_ status: Int32) { plugin_activity_ending(status) }

  /// Exits with this status. Exit handlers and destructors of plugins have the time limit of `install`, also those that
  /// were registered after `ending`, such as in unload().
  public static func exit(_ status: Int32) -> Never { plugin_activity_exit(status) }
}

private final class ThreadStart: Sendable {
  private let body: @Sendable () -> Void
  private let state: plugin_thread_state_t

  init(_ body: @escaping @Sendable () -> Void, _ state: plugin_thread_state_t) {
    self.body = body
    self.state = state
  }

  func run() {
    withUnsafePointer(to: state) { plugin_thread_restore($0) }
    body()
  }
}
