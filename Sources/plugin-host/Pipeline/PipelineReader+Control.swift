/// Reads the control of a step: condition, list, retries, serial name.
extension PipelineReader {
  func readControl(of step: inout Pipeline.Step, _ record: YAMLDocument.Record) {
    if let node = record["when"] { step.condition = condition(node) }
    if let node = record["each"] {
      if isStream(node) { step.source = source(node) } else { step.each = input(node, what: "\"each\"") }
    }
    if let field = record.fields["limit"] {
      step.limit = count(field.value, "limit", in: 1...1_000_000)
      if record["each"] == nil { document.report(field.key.location, "\"limit\" needs \"each\" in the same step") }
    }
    if let node = record["retry"] { step.retry = retry(node) }
    if let node = record["serial"], let name = fixed(node, what: "\"serial\"") {
      if !Name.isValid(name.value) || Self.falsehoods.contains(name.value.lowercased()) {
        document.report(
          name.location, "\"serial\" must be a name, which steps that exclude each other share: \(Name.rule)")
      }
      step.serial = name.value
    }
  }

  /// Words that other files have where no lock is meant.
  private static let falsehoods = ["false", "no", "off"]

  private func isStream(_ node: YAMLNode) -> Bool {
    guard case .mapping(let fields) = node.content else { return false }
    return fields.contains { $0.key.text == "stream" }
  }

  /// Reads `{stream: NAME}`.
  private func source(_ node: YAMLNode) -> Located<String>? {
    let what = "a stream"
    guard let record = document.record(of: node, what: what, known: ["stream"]),
      let name = document.required("stream", of: record, what: what)
    else { return nil }
    return fixed(name, what: "the step's name")
  }

  private func condition(_ node: YAMLNode) -> Located<Expression>? {
    guard let text = document.text(of: node, what: "\"when\"") else { return nil }
    do {
      return Located(value: try Expression(parsing: text.value), location: text.location)
    } catch {
      document.report(text.location, "\"when\": \(error)")
      return nil
    }
  }

  private func retry(_ node: YAMLNode) -> Retry? {
    if node.text != nil { return count(node, "retry", in: 1...1_000_000).map { Retry(times: $0) } }
    let what = "\"retry\""
    let known = ["times", "delay", "factor", "limit", "on"]
    guard let record = document.record(of: node, what: what, known: known),
      let times = document.required("times", of: record, what: what).flatMap({ count($0, "times", in: 1...1_000_000) })
    else { return nil }
    var retry = Retry(times: times)
    if let delay = record["delay"].flatMap({ seconds($0, key: "delay") }) { retry.delay = delay }
    if let limit = record["limit"].flatMap({ seconds($0, key: "limit") }) { retry.limit = limit }
    if let node = record["factor"], let text = fixed(node, what: "\"factor\"") {
      if let factor = Double(text.value), factor >= 1, factor <= 1000 {
        retry.factor = factor
      } else {
        document.report(text.location, "\"factor\" must be a number from 1 to 1000; this is \"\(text.value)\"")
      }
    }
    if let node = record["on"] {
      let nodes = node.text == nil ? document.elements(of: node, what: "\"on\"") ?? [] : [node]
      if nodes.isEmpty, node.text == nil {
        document.report(node.location, "\"on\" must have an error that is tried again; leave it out for all of them")
      }
      retry.on = nodes.compactMap { document.text(of: $0, what: "a part of an error, or timeout,")?.value }
    }
    return retry
  }
}
