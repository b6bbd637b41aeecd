import PluginRuntime

/// The results of all checks of a plugin.
struct CheckReport {
  let plugin: PluginDescription
  let seed: UInt64
  let results: [CheckResult]

  /// The checks that could not be made.
  private var skipped: Int { results.count { $0.findings.isEmpty && !$0.isMade } }

  var findings: Int { results.reduce(0) { $0 + $1.findings.count } }

  /// The report as text.
  var page: String {
    var lines = ["\(plugin.id) \(plugin.version), seed \(seed)"]
    for result in results {
      let calls = result.calls > 0 ? ", \(result.calls) calls" : ""
      let outcome = !result.findings.isEmpty ? "FAILED" : result.isMade ? "ok    " : "-     "
      lines.append("  \(outcome)  \(result.name)\(calls)")
      for text in result.findings { lines.append("          \(text)") }
      for text in result.notes { lines.append("          note: \(text)") }
    }
    let unmade = skipped == 0 ? "" : ", \(skipped) not made"
    lines.append("\(results.count - skipped) checks\(unmade), \(findings) \(findings == 1 ? "finding" : "findings")")
    return lines.map { $0.displayLine + "\n" }.joined()
  }

  var json: JSON {
    .object([
      ("id", .string(plugin.id)), ("version", .string(plugin.version)), ("path", .string(plugin.path)),
      ("seed", .number(seed)), ("findings", .number(UInt64(findings))),
      (
        "checks",
        .array(
          results.map { result in
            .object([
              ("name", .string(result.name)), ("calls", .number(UInt64(result.calls))),
              ("made", .bool(result.isMade)),
              ("findings", .array(result.findings.map { .string($0) })),
              ("notes", .array(result.notes.map { .string($0) })),
            ])
          })
      ),
    ])
  }

  /// The report in JUnit's format: a test case for each check.
  var junit: String {
    let failures = results.count { !$0.findings.isEmpty }
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuite name=\"\(Self.xml(plugin.id))\" tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"0\" "
        + "skipped=\"\(skipped)\">",
      "  <properties><property name=\"seed\" value=\"\(seed)\"/></properties>",
    ]
    for result in results {
      let head = "  <testcase classname=\"\(Self.xml(plugin.id))\" name=\"\(Self.xml(result.name))\""
      guard let first = result.findings.first else {
        let reason = result.notes.map(Self.xml).joined(separator: "; ")
        lines.append(head + (result.isMade ? "/>" : "><skipped message=\"\(reason)\"/></testcase>"))
        continue
      }
      let texts = result.findings.map(Self.xml).joined(separator: "\n")
      lines.append(head + "><failure message=\"\(Self.xml(first))\">\(texts)</failure></testcase>")
    }
    return (lines + ["</testsuite>", ""]).joined(separator: "\n")
  }

  /// Escapes text for XML 1.0, which has no control characters.
  private static func xml(_ text: String) -> String {
    String(
      text.unicodeScalars.map { scalar in
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: "\u{FFFD}"
        default: String(scalar)
        }
      }.joined())
  }
}
