import CPluginEdge

extension CallChecker {
  /// The number of single calls that may hang; no further ones are made after it.
  private static let patience = 3

  /// The end of a process that made calls.
  private struct Ending {
    var report = ""
    var isHung = false
    var status: Int32 = 0

    /// Whether the calls have returned, or have shown that the signature is wrong.
    var isVerdict: Bool { ["checked", "unmade", "overwritten", "fault "].contains(where: report.hasPrefix) }

    /// The report about a function none of whose calls returned.
    var failure: String {
      if !report.isEmpty { return report }
      return "unmade\t\(isHung ? "it did not return" : "its process ended with the status \(status)")\t\n"
    }
  }

  /// Makes `count` calls in a process, and returns their report.
  ///
  /// If that process crashes or hangs, each call is made once more, in a process of its own, with other arguments: a
  /// function seldom takes all of them. The report is then about the calls that returned, and states how many did not.
  /// `calls` makes the calls of a range of numbers with a seed.
  static func attempts(
    _ count: Int, report: Int32, seed: UInt64, _ calls: (_ numbers: Range<Int>, _ seed: UInt64) -> String
  ) -> String {
    let whole = ending(report, seconds: UInt32(PLUGIN_CHECK_SECONDS)) { calls(0..<count, seed) }
    guard !whole.isVerdict else { return whole.report }
    var returned = 0, crashed = 0, hung = 0
    for number in 0..<count where hung < patience {
      let one = ending(report, seconds: 1) { calls(number..<number + 1, seed &+ UInt64(number)) }
      if one.report.hasPrefix("checked") {
        returned += 1
      } else if one.isVerdict, !one.report.hasPrefix("unmade") {
        return one.report
      } else if one.isHung {
        hung += 1
      } else if !one.isVerdict {
        crashed += 1
      }
    }
    guard returned > 0 else { return whole.failure }
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
