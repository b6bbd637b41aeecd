import PluginRuntime

/// Reads the shape of a pipeline file, without looking up the plugins and steps that it names.
struct PipelineReader {
  let document: YAMLDocument

  private init(_ file: SourceFile) {
    document = YAMLDocument(file: file)
  }

  /// Reads the pipeline in `file`, or reports all mistakes in its shape.
  static func read(_ file: SourceFile) throws(FileMistakes) -> Pipeline {
    let reader = PipelineReader(file)
    let pipeline = reader.pipeline()
    guard reader.document.mistakes.isEmpty else {
      throw FileMistakes(files: [file], mistakes: reader.document.mistakes)
    }
    return pipeline
  }

  private func pipeline() -> Pipeline {
    var pipeline = Pipeline()
    let known = ["plugins", "set", "config", "pure", "steps", "result", "secrets", "finally", "include"]
    guard let root = document.root(), let record = document.record(of: root, what: "a pipeline", known: known) else {
      return pipeline
    }
    if let node = record["set"] { pipeline.variables = variables(node) }
    if let node = record["include"] { pipeline.includes = includes(node) }
    if let node = record["plugins"] {
      readPlugins(node, of: &pipeline)
    } else if record["steps"] != nil || record["finally"] != nil || pipeline.includes.isEmpty {
      _ = document.required("plugins", of: record, what: "a pipeline")
    }
    if let node = record["secrets"] { pipeline.secrets = secrets(node) }
    if let node = record["config"] { pipeline.configuration = configuration(node) }
    if let node = record["pure"] {
      let functions = document.elements(of: node, what: "\"pure\"") ?? []
      pipeline.pure = functions.compactMap { target($0, what: "a pure function") }
    }
    if let node = record["steps"] {
      pipeline.steps = steps(node)
    } else if pipeline.includes.isEmpty {
      _ = document.required("steps", of: record, what: "a pipeline")
    }
    if let node = record["finally"] {
      pipeline.firstFinal = pipeline.steps.count
      let fields = document.fields(of: node, what: "\"finally\"") ?? []
      pipeline.steps += fields.compactMap { isName($0.key, of: "a step") ? step($0) : nil }
    }
    if let node = record["result"] { pipeline.result = result(node) }
    return pipeline
  }

  private func variables(_ node: YAMLNode) -> [Pipeline.Variable] {
    let fields = document.fields(of: node, what: "\"set\"") ?? []
    return fields.compactMap { field in
      guard isName(field.key, of: "a variable") else { return nil }
      // Null: no default; the user must provide the value.
      if field.value.isNull { return Pipeline.Variable(name: field.key, initial: nil) }
      guard let initial = constant(field.value, what: "the variable \"\(field.key.value)\"") else { return nil }
      return Pipeline.Variable(name: field.key, initial: initial)
    }
  }

  private func secrets(_ node: YAMLNode) -> [Pipeline.Secret] {
    let fields = document.fields(of: node, what: "\"secrets\"") ?? []
    return fields.compactMap { field in
      let what = "the secret \"\(field.key.value)\""
      guard isName(field.key, of: "a secret"),
        let record = document.record(of: field.value, what: what, known: ["env", "file"])
      else { return nil }
      switch (record["env"], record["file"]) {
      case (let node?, nil):
        return fixed(node, what: "\"env\"").map {
          Pipeline.Secret(name: field.key, source: .environment($0))
        }
      case (nil, let node?):
        return fixed(node, what: "\"file\"").map { Pipeline.Secret(name: field.key, source: .file($0)) }
      default:
        document.report(field.value.location, "\(what) needs \"env\" or \"file\", and not both")
        return nil
      }
    }
  }

  private func configuration(_ node: YAMLNode) -> [Pipeline.Setting] {
    let plugins = document.fields(of: node, what: "\"config\"") ?? []
    return plugins.flatMap { plugin in
      let settings = document.fields(of: plugin.value, what: "the configuration of \"\(plugin.key.value)\"") ?? []
      return settings.compactMap { setting in
        constant(setting.value, what: "the value of \"\(setting.key.value)\"").map {
          Pipeline.Setting(plugin: plugin.key, key: setting.key.value, value: $0)
        }
      }
    }
  }

  private func steps(_ node: YAMLNode) -> [Pipeline.Step] {
    guard let fields = document.fields(of: node, what: "\"steps\"") else { return [] }
    if case .mapping(let mapping) = node.content, mapping.isEmpty {
      document.report(node.location, "a pipeline needs at least one step")
    }
    return fields.compactMap { isName($0.key, of: "a step") ? step($0) : nil }
  }

  private func step(_ field: YAMLDocument.Field) -> Pipeline.Step? {
    let known = [
      "call", "with", "after", "timeout", "rescue", "pure", "when", "each", "limit", "retry", "serial",
    ]
    guard let record = document.record(of: field.value, what: "a step", known: known) else { return nil }
    let call = self.call(record, what: "a step")
    let after = record["after"].map { self.names($0) } ?? []
    let rescue = record["rescue"].flatMap { self.rescue($0) }
    let isPure = record["pure"].flatMap { truth($0, what: "\"pure\"") }
    guard let call else { return nil }
    var step = Pipeline.Step(name: field.key, call: call, after: after, rescue: rescue, isPure: isPure)
    readControl(of: &step, record)
    return step
  }

  private func rescue(_ node: YAMLNode) -> Pipeline.Rescue? {
    let known = ["value", "call", "with", "timeout"]
    guard let record = document.record(of: node, what: "\"rescue\"", known: known) else { return nil }
    guard let value = record["value"] else {
      guard record["call"] != nil else {
        document.report(node.location, "\"rescue\" needs \"value\" or \"call\"")
        return nil
      }
      return call(record, what: "\"rescue\"").map { .call($0) }
    }
    for key in ["call", "with", "timeout"] {
      guard let other = record.fields[key] else { continue }
      document.report(other.key.location, "\"rescue\" has a \"value\"; \"\(key)\" does not go with it")
    }
    return constantInput(value, what: "the value").map { .value($0) }
  }

  private func call(_ record: YAMLDocument.Record, what: String) -> Pipeline.Call? {
    let arguments = record["with"].map { self.arguments($0, what: "\"with\"") } ?? []
    let timeout = record["timeout"].flatMap { seconds($0) }
    guard let node = document.required("call", of: record, what: what), let target = target(node, what: "\"call\"")
    else { return nil }
    return Pipeline.Call(plugin: target.plugin, function: target.function, arguments: arguments, timeout: timeout)
  }

  private func target(_ node: YAMLNode, what: String) -> Pipeline.Target? {
    guard let target = fixed(node, what: what) else { return nil }
    guard let dot = target.value.lastIndex(of: "."), dot != target.value.startIndex,
      target.value.index(after: dot) != target.value.endIndex
    else {
      document.report(target.location, "\(what) must be PLUGIN.FUNCTION, such as digest.sha256")
      return nil
    }
    return Pipeline.Target(
      plugin: Located(value: String(target.value[..<dot]), location: target.location),
      function: Located(value: String(target.value[dot...].dropFirst()), location: target.location))
  }

  private func truth(_ node: YAMLNode, what: String) -> Located<Bool>? {
    guard let text = fixed(node, what: what) else { return nil }
    switch text.value.lowercased() {
    case "true", "yes": return text.map { _ in true }
    case "false", "no": return text.map { _ in false }
    default:
      document.report(text.location, "\(what) must be true or false; this is \"\(text.value)\"")
      return nil
    }
  }

  private func names(_ node: YAMLNode) -> [Located<String>] {
    if node.text != nil { return fixed(node, what: "\"after\"").map { [$0] } ?? [] }
    let nodes = document.elements(of: node, what: "\"after\"") ?? []
    return nodes.compactMap { fixed($0, what: "a step's name") }
  }

  func seconds(_ node: YAMLNode, key: String = "timeout") -> Double? {
    guard let text = fixed(node, what: "\"\(key)\"") else { return nil }
    if let seconds = Seconds(text.value) { return seconds.value }
    document.report(text.location, "\"\(key)\" must be \(Seconds.expectation); this is \"\(text.value)\"")
    return nil
  }

  /// Reads a name, a number or a path, in which no variable and no result has a value.
  func fixed(_ node: YAMLNode, what: String) -> Located<String>? {
    guard let text = document.text(of: node, what: what, mayBeEmpty: false) else { return nil }
    let parts = (try? Template(parsing: text.value))?.parts ?? []
    guard let part = parts.first(where: { $0.operand != nil }) else { return text }
    document.report(
      text.location,
      "\(what) cannot have \"\(part.source)\" in it: variables and results have values in \"with\", and in the values of "
        + "\"each\", \"rescue\", \"set\" and \"config\"")
    return nil
  }

  func template(_ node: YAMLNode, what: String) -> Located<Template>? {
    document.text(of: node, what: what).flatMap { template($0) }
  }

  func template(_ text: Located<String>) -> Located<Template>? {
    do {
      return Located(value: try Template(parsing: text.value), location: text.location)
    } catch {
      document.report(text.location, error.message)
      return nil
    }
  }

  func isName(_ key: Located<String>, of what: String) -> Bool {
    if Name.isValid(key.value) { return true }
    document.report(key.location, "\"\(key.value)\" cannot be the name of \(what): \(Name.rule)")
    return false
  }
}
