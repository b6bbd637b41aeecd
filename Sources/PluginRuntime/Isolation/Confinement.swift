import CPluginEdge
import Glibc

/// The worker's part of its confinement.
enum Confinement {
  /// The descriptor by which the host sends the plan, and receives the listener of the filter.
  private static let control = Int32(PLUGIN_PROCESS_CONTROL)
  /// The maximum length of a plan, in bytes.
  private static let capacity = 1 << 17

  /// Reads the plan of the host and enforces it, before this process has a second thread. Ends the process if there is
  /// no plan.
  ///
  /// - Returns: the descriptor of the sealed copy that the host has of the plugin's file; -1 if it has none.
  static func enter() -> Int32 {
    var message = [UInt8](repeating: 0, count: capacity)
    var copy: Int32 = -1
    let count = message.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { plugin_confinement_receive(control, $0, buffer.count, &copy) } ?? 0
    }
    guard count > 0, let plan = ConfinementPlan.read(message[..<count]) else {
      WorkerChannel.fail("plugin-worker: expected confinement rules of this version from the host")
    }
    defer { close(control) }
    // Before the rules, which then keep the plugin from killing the guard.
    if plan?.limits.processes != false { plugin_process_guard_group() }
    guard let (given, rules) = plan else { return copy }
    var limits = given
    var gaps: [String] = []
    let isForFiles = restrictFiles(rules, &gaps)
    note(plugin_confinement_limit(&limits), "memory, processor time and the privileges of root", &gaps)
    var listener: Int32 = -1
    let error = plugin_confinement_filter(&limits, &listener)
    note(error, "network, processes and changes of the system", &gaps)
    if error == 0, listener < 0 { gaps.append("the names of refused capabilities (the kernel does not report them)") }
    report(isForFiles, gaps, listener)
    if listener >= 0 { close(listener) }
    return copy
  }

  /// Enforces rules for files on this process, and the limits of a process without capabilities. Refused system calls
  /// fail without a report. Limits that the system does not have are left out.
  static func enter(_ rules: [ConfinementPlan.Rule]) {
    var gaps: [String] = []
    var limits = plugin_confinement_t()
    _ = restrictFiles(rules, &gaps)
    _ = plugin_confinement_limit(&limits)
    _ = plugin_confinement_filter(&limits, nil)
  }

  private static func note(_ error: Int32, _ subject: String, _ gaps: inout [String]) {
    if error != 0 { gaps.append("\(subject) (\(String(cString: strerror(error))))") }
  }

  /// Enforces the rules for files. Returns whether they are.
  private static func restrictFiles(_ rules: [ConfinementPlan.Rule], _ gaps: inout [String]) -> Bool {
    var version: Int32 = 0
    let set = plugin_landlock_begin(&version)
    guard set >= 0 else {
      gaps.append("files, and signals to other processes (the kernel has no Landlock)")
      return false
    }
    // Failures are ignored: some systems lack some of the common files.
    for rule in rules { _ = plugin_landlock_allow(set, rule.path, rule.access) }
    let error = plugin_landlock_end(set)
    note(error, "files, and signals to other processes", &gaps)
    guard error == 0 else { return false }
    if version < 3 { gaps.append("truncating files (Landlock of version \(version), expected 3)") }
    if version < 6 { gaps.append("signals to other processes (Landlock of version \(version), expected 6)") }
    return true
  }

  private static func report(_ isForFiles: Bool, _ gaps: [String], _ listener: Int32) {
    let body = PluginValue.array([
      .bool(isForFiles), .array(gaps.map { .string($0) }), .uint(plugin_confinement_noted_calls()),
    ])
    let bytes = (try? CBOREncoder.encode(body)) ?? []
    let error = bytes.withUnsafeBytes { buffer in
      buffer.baseAddress.map { plugin_confinement_send(control, $0, buffer.count, listener) } ?? EINVAL
    }
    if error != 0 {
      WorkerChannel.fail("plugin-worker: cannot report its confinement: \(String(cString: strerror(error)))")
    }
  }
}
