import PluginRuntime

/// Reads the placement of plugins in processes.
extension PipelineReader {
  /// Reads the keys `isolation`, `pool` and `limits` of a plugin.
  func placement(_ record: YAMLDocument.Record) -> PluginPlacement {
    var placement = PluginPlacement(place: record["isolation"].flatMap(place))
    for key in ["pool", "limits"] {
      guard let node = record[key], placement.place != .process, record["capabilities"] == nil else { continue }
      document.report(node.location, "\"\(key)\" is for worker processes; add \"isolation: process\"")
    }
    if let node = record["pool"] { placement.pool = count(node, "pool", in: 1...64) ?? 1 }
    if let node = record["limits"] { placement.limits = limits(node) }
    return placement
  }

  private func place(_ node: YAMLNode) -> PluginIsolation? {
    choice(node, "isolation", PluginIsolation.allCases.map { ($0.rawValue, $0) })
  }

  private func limits(_ node: YAMLNode) -> CallLimits {
    var limits = CallLimits()
    let known = ["in-flight", "queue", "result-bytes", "when-full"]
    guard let record = document.record(of: node, what: "\"limits\"", known: known) else { return limits }
    if let node = record["in-flight"] { limits.inFlight = count(node, "in-flight", in: 1...1_000_000) ?? .max }
    if let node = record["queue"] { limits.queue = count(node, "queue", in: 0...1_000_000) ?? .max }
    if let node = record["result-bytes"] {
      limits.resultBytes = count(node, "result-bytes", in: 4_096...2_000_000_000) ?? .max
    }
    if let node = record["when-full"] {
      limits.whenFull = choice(node, "when-full", [("wait", .wait), ("reject", .reject)]) ?? .wait
    }
    return limits
  }

  private func choice<T>(_ node: YAMLNode, _ key: String, _ choices: [(name: String, value: T)]) -> T? {
    guard let text = fixed(node, what: "\"\(key)\"") else { return nil }
    if let choice = choices.first(where: { $0.name == text.value }) { return choice.value }
    let names = choices.map(\.name)
    let expected = "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    document.report(text.location, "\"\(key)\" must be \(expected); this is \"\(text.value)\"")
    return nil
  }

  func count(_ node: YAMLNode, _ key: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = fixed(node, what: "\"\(key)\"") else { return nil }
    if let count = Int(text.value), range.contains(count) { return count }
    document.report(
      text.location,
      "\"\(key)\" must be a number from \(range.lowerBound) to \(range.upperBound); this is \"\(text.value)\"")
    return nil
  }
}
