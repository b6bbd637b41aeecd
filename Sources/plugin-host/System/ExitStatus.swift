import Glibc

/// The exit statuses of the process. The numbers are part of the interface: `--help` and the man page
/// list them.
enum ExitStatus: Int32, Sendable {
  /// The call, or every step of the pipeline, was fulfilled.
  case fulfilled = 0
  /// The call, or a step, was rejected; or its result could not be written.
  case rejected = 1
  /// A plugin, or one that it requires, could not be found or loaded.
  case notLoaded = 2
  /// A time limit passed.
  case timedOut = 3
  /// The command line, the pipeline file or a line of a session is wrong. Nothing was called, except by earlier lines
  /// of a session.
  case usage = 64

  /// The section that ends the help of every command.
  static let help = """
    EXIT STATUS
      0   fulfilled
      1   rejected, or the result could not be written
      2   a plugin could not be loaded
      3   timed out
      64  wrong usage: nothing was called; in a session, by this line

    A command that is interrupted discards what is running and ends by the signal.
    """
}

/// The reason why a command failed.
struct Failure: Error, Equatable {
  var status: ExitStatus
  /// Lines for standard error, complete as they are.
  var lines: [String]
  /// The facts for programs that asked for JSON.
  var facts = FailureFacts()

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    lines = ["\(Self.prefix)\(message)"]
  }

  /// The failure to read or write, which is a time-out if the deadline has passed.
  init(_ error: SystemError?, else status: ExitStatus, _ message: String) {
    self.init(error?.code == ETIMEDOUT ? .timedOut : status, message)
  }

  init(_ status: ExitStatus, lines: [String], facts: FailureFacts = FailureFacts()) {
    self.status = status
    self.lines = lines
    self.facts = facts
  }

  private static let prefix = "plugin-host: "

  /// The first line without the name of the program.
  var message: String {
    lines.first.map { $0.hasPrefix(Self.prefix) ? String($0.dropFirst(Self.prefix.count)) : $0 } ?? ""
  }

  /// Returns the failure with a place before its message: `PLACE: MESSAGE`.
  func naming(_ place: String) -> Failure {
    var failure = self
    failure.lines = ["\(Self.prefix)\(place): \(message)"] + lines.dropFirst()
    return failure
  }
}
