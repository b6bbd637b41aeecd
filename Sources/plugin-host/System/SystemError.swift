import Glibc

/// An error number of the operating system.
struct SystemError: Error, Equatable, CustomStringConvertible {
  var code: Int32

  /// The error of the system call that just failed on this thread.
  static var last: SystemError { SystemError(code: errno) }

  var description: String { String(cString: strerror(code)) }
}
