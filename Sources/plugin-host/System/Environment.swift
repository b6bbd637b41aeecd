import Glibc

/// The variables of the environment.
enum Environment {
  /// The value of `name`; nil if it is not set or empty.
  static subscript(name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
