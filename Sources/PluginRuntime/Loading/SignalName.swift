/// The names of signals.
package enum SignalName {
  /// Returns "SIGSEGV", or "signal 40" for a signal without a name.
  package static func of(_ number: Int32) -> String {
    names.indices.contains(Int(number) - 1) ? "SIG" + names[Int(number) - 1] : "signal \(number)"
  }

  private static let names = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
    "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
    "PWR", "SYS",
  ]
}
