/// The program that a worker process runs: one that calls `PluginWorker.run()` first, such as plugin-host.
public struct WorkerProgram: Sendable, Hashable {
  /// The path of the executable file.
  public var path: String
  /// The arguments after the program's name.
  public var arguments: [String]

  /// The argument by which `plugin-host` is a worker.
  public static let workerArgument = "--plugin-worker"

  /// Creates a program from its path and arguments.
  public init(path: String, arguments: [String] = [WorkerProgram.workerArgument]) {
    self.path = path
    self.arguments = arguments
  }
}
