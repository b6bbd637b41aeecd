/// An error of a plugin, or of a call of one of its functions.
public struct PluginError: Error, Sendable, Equatable {
  /// The kind of error, with the details that a program can act on.
  public enum Kind: Sendable, Equatable {
    // The file.
    case notFound
    case notReadable
    /// A directory, a FIFO, a device: not a regular file.
    case notAFile
    /// The file is not a shared library.
    case notAPlugin
    case wrongArchitecture
    /// The file ends before the content that its headers declare.
    case truncated
    /// The headers or tables of the file contradict each other.
    case damaged
    /// The file asks for memory that is writable and executable, or for an executable stack.
    case unsafeMemory
    /// The file's DT_SONAME is a path, for which the system's loader would take another file.
    case unsafeName
    /// The file does not export promise_plugin_entry(), or not as a function.
    case noEntry
    /// Another file was loaded from this path before, or the file changed while it was being loaded.
    case replaced
    /// The program does not trust the file (`LibraryAdmission`).
    case notTrusted
    /// The plugin is in quarantine, or not started: its worker processes ended too often without an answer.
    case quarantined
    // Loading.
    /// The system's loader refused it: a missing symbol, a missing library.
    case loadFailed
    /// The plugin does not support the host's ABI version. `plugin` is `nil` if its entry returned no descriptor for
    /// that version.
    case abiRange(host: UInt32, plugin: ClosedRange<UInt32>?)
    case badDescriptor
    case badSignature(SignatureError)
    /// The plugin's compiler lays out the struct or the field of that path differently from the signature.
    case layout(String)
    case missingRequirement(String)
    case requirementCycle([String])
    /// Another plugin with the same id is loaded, or another host has loaded this one.
    case duplicate
    /// The plugin's load() returned this status.
    case refused(Int32)
    // Calls.
    case unknownPlugin
    case unknownFunction
    case badArgument
    /// The result of the function, or of a callback, contradicts its signature.
    case badResult
    /// The function was left by an exception: of C++, with its type as C++ writes it and its message, or of another
    /// language, which the error's message names if the exception's class has its name.
    case exception(type: String?, message: String?)
    /// The function was left in a way that is not allowed: by pthread_exit(), by cancelling the thread, or by
    /// longjmp().
    case abandoned
    /// The call is nested in as many others as its host allows (`Host.Options.recursionLimit`).
    case tooDeep
    /// The host is shutting down.
    case closed
    // Worker processes.
    /// The plugin cannot run in a worker process, or an argument cannot reach one.
    case notIsolated
    /// The call did not end within the time that its caller gave it, and was stopped.
    case timedOut
    /// The plugin asked for rights that it was not given; the call is rejected even if its function returned.
    case notAllowed([CapabilityRefusal])
    /// The plugin's limit of concurrent calls was reached, or no thread can be started for a question of its worker.
    case overloaded
    /// The new file of a plugin failed; the previous one stays in use.
    case rolledBack
    /// The plugin runs in this process, where it cannot be reloaded.
    case notReloadable
    /// The plugin's worker process has ended, or was killed because it violated the protocol.
    case workerEnded(WorkerEnd)
  }

  /// The kind of error.
  public let kind: Kind
  /// The subject: a file's path, a plugin's id, or "plugin.function".
  public let subject: String
  /// The mistake, and the expected form.
  public let message: String
  /// The errors of other calls that led to this one, the nearest first, at most 16: the call took the result of one
  /// that was rejected because its worker ended. Their own `causes` are empty.
  public let causes: [PluginError]

  package init(_ kind: Kind, _ subject: String, _ message: String) {
    self.kind = kind
    self.subject = subject
    self.message = message
    causes = []
  }

  /// Returns the error with another one that led to it.
  func because(of cause: PluginError?) -> PluginError { PluginError(self, cause) }

  private init(_ error: PluginError, _ cause: PluginError?) {
    (kind, subject, message) = (error.kind, error.subject, error.message)
    let nearest = cause.map { [PluginError($0.kind, $0.subject, $0.message)] + $0.causes } ?? error.causes
    causes = Array(nearest.prefix(Self.mostCauses))
  }

  private static let mostCauses = 16
}

extension PluginError {
  /// Returns the error of a call beyond the limit of nesting.
  static func tooDeep(_ subject: String, _ limit: Int) -> PluginError {
    PluginError(
      .tooDeep, subject,
      "is not called: it is nested in \(limit) calls, which is the limit (--recursion-limit, Host.Options.recursionLimit)"
    )
  }
}

extension PluginError {
  /// Returns the error of a question to the host in a child process of a worker.
  static func inChild(_ subject: String) -> PluginError {
    PluginError(
      .closed, subject,
      "has no host in this process, a child that the plugin has forked: make the call in the worker itself")
  }
}

extension PluginError: CustomStringConvertible {
  /// The error in one sentence; a mistake in a signature is shown on lines of its own.
  public var description: String { "\(subject): \(message)" }
}
