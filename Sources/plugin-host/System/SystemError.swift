import Glibc
import PluginRuntime

/// An error number of the operating system.
struct SystemError: Error, Equatable, CustomStringConvertible {
  var code: Int32

  /// The error of the system call that just failed on this thread.
  static var last: SystemError { SystemError(code: errno) }

  /// The error for a file of another kind, where a regular file is expected.
  static let notRegular = SystemError(code: EINVAL)

  /// The text of an error of reading a file.
  var fileProblem: String { self == .notRegular ? "not a regular file" : description }

  /// The text of the error of a process's start that just failed, with the limits on the number of processes, if one is
  /// reached.
  static var lastOfStart: String { errno == EAGAIN ? "\(last): \(SystemLimit.tasks)" : "\(last)" }

  /// The error of a path that a plugin may have chosen (`WritableFolders`).
  static var linkOut: SystemError { SystemError(code: linkOutCode) }

  private static let linkOutCode: Int32 = -1

  var description: String {
    switch code {
    case ETIMEDOUT: "timed out"
    case Self.linkOutCode: "a symbolic link leads out of a folder that a plugin may write to; it is not followed"
    default: SystemLimit.text(code)
    }
  }
}
