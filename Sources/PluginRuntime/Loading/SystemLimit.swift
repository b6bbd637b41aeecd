import Glibc

/// Limits of the system that make a call fail, as parts of an error's text: the limit, its value, and how to raise it.
public enum SystemLimit {
  /// Returns the text of an error number. EMFILE, which a limit causes, names the limit too.
  public static func text(_ code: Int32) -> String {
    let text = String(cString: strerror(code))
    return code == EMFILE ? "\(text): \(descriptors)" : text
  }

  /// The limit on open descriptors.
  static var descriptors: String {
    "RLIMIT_NOFILE is \(value(RLIMIT_NOFILE)): close files, or raise the limit (ulimit -n)"
  }

  /// The limits on threads and processes. A limit on the memory of the process is named first: the system reports a
  /// thread without memory for its stack in the same way.
  public static var tasks: String {
    let first = memory.map { "\($0); or " } ?? ""
    return "\(first)RLIMIT_NPROC is \(value(__RLIMIT_NPROC)): end processes of this user, raise the limit (ulimit -u), "
      + "raise pids.max of the cgroup, or free memory"
  }

  /// The limit on the memory of the process; nil if there is none.
  public static var memory: String? {
    let memory = value(RLIMIT_AS)
    return memory == unlimited ? nil : "RLIMIT_AS is \(memory): raise the limit (ulimit -v)"
  }

  private static let unlimited = "unlimited"

  private static func value(_ resource: __rlimit_resource) -> String {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return "unknown" }
    return limit.rlim_cur == rlim_t.max ? unlimited : "\(limit.rlim_cur)"
  }
}
