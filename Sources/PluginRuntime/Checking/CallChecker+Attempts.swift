import CPluginEdge

extension CallChecker {
  /// The number of single calls that may hang; no further ones are made after it.
  private static let patience = 3
  /// The number of functions that may end a process while they make an object, until the calls are given up.
  private static let mostCulprits = 24

  /// The end of a process that made calls.
  private struct Ending {
    var report = ""
    var isHung = false
    var status: Int32 = 0

    /// Whether the calls have returned, or have shown that the signature is wrong.
    var isVerdict: Bool { ["checked", "unmade", "overwritten", "fault "].contains(where: report.hasPrefix) }

    /// The function, called in preparation, with which the process ended.
    var culprit: String? {
      let parts = report.split(separator: "\n").first?.split(separator: "\t", omittingEmptySubsequences: false) ?? []
      return parts.count > 3 && !parts[3].isEmpty ? String(parts[3]) : nil
    }

    /// The report about a function none of whose calls returned.
    var failure: String {
      if !report.isEmpty { return report }
      return "unmade\t\(isHung ? "it did not return" : "its process ended with the status \(status)")\t\n"
    }
  }

  /// Makes `count` calls in a process, and returns their report.
  ///
  /// If another function ends that process while it makes an object, the calls are made again without that function:
  /// there may be others that make one. If the calls crash or hang, each is made once more, in a process of its own,
  /// with other arguments: a function seldom takes all of them. The report is then about the calls that returned, and
  /// states how many did not. `calls` makes the calls of a range of numbers, with functions for objects and a seed.
  /// Returns the report, and the functions that ended no process.
  static func attempts(
    _ count: Int, _ targets: [CheckedCall.Target], report: Int32, seed: UInt64,
    _ calls: (_ numbers: Range<Int>, _ targets: [CheckedCall.Target], _ seed: UInt64) -> String
  ) -> (report: String, targets: [CheckedCall.Target]) {
    var targets = targets
    func attempt() -> Ending {
      ending(report, seconds: UInt32(PLUGIN_CHECK_SECONDS)) { calls(0..<count, targets, seed) }
    }
    let first = attempt()
    var whole = first
    for _ in 0..<mostCulprits {
      // Without an initializer the others are called too early.
      guard let culprit = whole.culprit,
        targets.contains(where: { $0.signature.name == culprit && !$0.signature.isInitializer })
      else { break }
      targets.removeAll { $0.signature.name == culprit }
      whole = attempt()
    }
    // Without these functions nothing makes the object: they are the reason.
    if whole.culprit != nil || whole.report.hasPrefix("unmade") { whole = first }
    return (whole.isVerdict ? whole.report : single(count, targets, report, seed, calls) ?? whole.failure, targets)
  }

  /// Makes each call in a process of its own. Returns nil if none returned.
  private static func single(
    _ count: Int, _ targets: [CheckedCall.Target], _ report: Int32, _ seed: UInt64,
    _ calls: (_ numbers: Range<Int>, _ targets: [CheckedCall.Target], _ seed: UInt64) -> String
  ) -> String? {
    var returned = 0, crashed = 0, hung = 0
    for number in 0..<count where hung < patience {
      let one = ending(report, seconds: 1) { calls(number..<number + 1, targets, seed &+ UInt64(number)) }
      if one.report.hasPrefix("checked") {
        returned += 1
      } else if one.isVerdict, one.culprit == nil, !one.report.hasPrefix("unmade") {
        return one.report
      } else if one.isHung {
        hung += 1
      } else if !one.report.hasPrefix("unmade") {
        crashed += 1
      }
    }
    guard returned > 0 else { return nil }
    let others = [
      (crashed, "crashed"), (hung, "did not return"), (count - returned - crashed - hung, "were not made"),
    ]
    let failures = others.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return "checked\t\(returned)\t\t\t\(failures.isEmpty ? "together they crash or hang" : failures)\n"
  }

  /// Runs `calls` in a process of its own.
  private static func ending(_ report: Int32, seconds: UInt32, _ calls: () -> String) -> Ending {
    var ending = plugin_check_ending_t()
    if plugin_check_attempt(report, seconds, &ending) { end(report, calls()) }
    let text = ending.report.map { String(cString: $0) } ?? ""
    return Ending(report: text, isHung: ending.is_hung, status: ending.status)
  }
}
