/// The settings of a plugin in a worker process.
public struct IsolationOptions: Sendable {
  /// The program that a worker process runs.
  public var program: WorkerProgram
  /// The time for the start of the process, until its first frame.
  public var startTimeout: Duration = .seconds(10)
  /// The time limit for each of these: mapping the plugin with its initialisers and its entry, load(), unload().
  public var loadTimeout: Duration = .seconds(30)
  /// The time between the request to stop a call and SIGKILL for a worker that does not stop it.
  public var grace: Duration = .seconds(2)
  /// The delay before a worker is started in place of one that ended without answering a call. It doubles with each
  /// further such end, up to 5 seconds.
  public var backoff: Duration = .milliseconds(100)
  /// The number of workers that end in a row without an answer after which no other is started for `coolDown`.
  public var crashLimit = 5
  /// The time for which calls are then rejected, with a `PluginError` of the kind `quarantined`. Afterwards one worker
  /// is tried.
  public var coolDown: Duration = .seconds(60)
  /// Receives the end of each worker that had answered a call, and of each that had begun to map the plugin and ended
  /// by a fault of the plugin, while it was loaded or later. A worker that refuses the plugin, or is killed because the
  /// host shuts down or a caller's call did not stop, has no fault.
  ///
  /// - Parameters:
  ///   - path: the path of the plugin's file, which may be another one by now.
  ///   - copy: a descriptor of the copy that the worker loaded, open until the function returns; `nil` for files of
  ///     the system, and for workers that only read a description.
  ///   - fault: the end in one sentence; `nil` if the worker had answered a call.
  ///
  /// Called before the calls of the worker are rejected. Must not wait.
  public var workerEnded: @Sendable (_ path: String?, _ copy: Int32?, _ fault: String?) -> Void = { _, _, _ in }
  /// Receives the end of each worker that did not unload the plugin and exit as it was asked to, or that ended without
  /// being asked while it had no call: a `PluginError` of the kind `workerEnded`. Must not wait. If `nil`, the end is
  /// logged.
  public var unloadFailed: (@Sendable (_ error: PluginError) -> Void)?
  /// The rights of the worker, which it enforces on itself; none beyond computing by default.
  public var capabilities = Capabilities()
  /// Whether the workers have the standard input of the program. Otherwise it is empty.
  public var inheritsInput = false
  /// The number of workers. Each loads the plugin. A call is made by the one with the fewest calls, or by the one that
  /// returned a handle among the arguments.
  public var pool = 1
  /// The limits for the calls of the plugin, in all its workers together.
  public var limits = CallLimits()
  /// The maximum number of callbacks and calls of other plugins that a worker may wait for at the same time. A worker
  /// that exceeds it is killed.
  public var questionLimit = 65_536
  /// The maximum number of threads that answer the questions of a worker.
  var questionThreads = WorkerLink.threads
  /// Receives the lines that the plugin writes to standard output and standard error, one at a time. Must not wait.
  public var output: @Sendable (_ line: String) -> Void = { _ in }

  /// The maximum length of such a line in bytes; the rest of it is dropped.
  public var longestLine = 1_000

  /// Creates the settings, with the defaults that the properties show.
  public init(program: WorkerProgram) { self.program = program }
}
