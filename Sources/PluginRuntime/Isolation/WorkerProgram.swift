/// The program that a worker process runs: one that calls `PluginWorker.run()` first, such as plugin-host, or the
/// installed helper.
public struct WorkerProgram: Sendable, Hashable {
  /// The path of the executable file.
  public var path: String
  /// The arguments after the program's name.
  public var arguments: [String]

  /// The argument that makes `plugin-host` a worker.
  public static let workerArgument = "--plugin-worker"

  /// Creates a program from its path and arguments.
  public init(path: String, arguments: [String] = [WorkerProgram.workerArgument]) {
    self.path = path
    self.arguments = arguments
  }

  /// Returns the helper that is installed with plugin-host, for programs that are not workers themselves.
  ///
  /// Host and helper exchange their versions; a helper of another version ends, and the plugin is not loaded.
  public static func installed(under prefix: String = "/usr/local") -> WorkerProgram {
    WorkerProgram(path: "\(prefix)/libexec/\(helper)", arguments: [])
  }

  /// The file name that makes plugin-host the helper.
  public static let helper = "plugin-worker"
}
