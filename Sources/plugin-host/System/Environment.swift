import Glibc

/// The variables of the environment.
enum Environment {
  /// The value of `name`; nil if it is not set or empty, or if the process has the rights of another user than the one
  /// who set it (setuid, setgid).
  static subscript(name: String) -> String? {
    guard !isForeign, let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Whether the user or the group that started the process is another than the one whose rights it has.
  private static let isForeign = getuid() != geteuid() || getgid() != getegid()
}
