import PluginRuntime

/// Arguments and results: texts, files, parts of other steps' results, lists and mappings of these.
extension PipelineReader {
  func arguments(_ node: YAMLNode, what: String) -> [Pipeline.Argument] {
    arguments(document.fields(of: node, what: what) ?? [])
  }

  private func arguments(_ fields: [YAMLDocument.Field]) -> [Pipeline.Argument] {
    fields.compactMap { field in
      input(field.value, what: "\"\(field.key.value)\"", takesNull: true).map {
        Pipeline.Argument(name: field.key, value: $0)
      }
    }
  }

  func input(_ node: YAMLNode, what: String, takesNull: Bool = false) -> Located<Pipeline.Input>? {
    let located = { (input: Pipeline.Input) in Located(value: input, location: node.location) }
    switch node.content {
    case .mapping:
      if isReference(node) { return reference(node).map { reference in reference.map { .result($0) } } }
      guard let fields = document.fields(of: node, what: what) else { return nil }
      return located(.mapping(arguments(fields)))
    case .sequence:
      guard let elements = document.elements(of: node, what: what) else { return nil }
      return located(.list(elements.compactMap { input($0, what: "an element of \(what)", takesNull: true) }))
    case .scalar(_, let isPlain):
      if takesNull, node.isNull { return located(.null) }
      return scalar(node, isPlain: isPlain, what: what)
    }
  }

  private func scalar(_ node: YAMLNode, isPlain: Bool, what: String) -> Located<Pipeline.Input>? {
    guard let text = document.text(of: node, what: what) else { return nil }
    let template = { (text: String) in Located(value: text, location: node.location) }
    switch ArgumentText(text.value) {
    case .literal(let literal):
      return self.template(template(literal)).map { $0.map { .text($0, isPlain: isPlain) } }
    case .file(let path): return self.template(template(path)).map { $0.map { .file($0) } }
    case .standardInput:
      // A lone dash is an ordinary text in a file; "@-" is standard input in both places.
      return text.value == "-"
        ? self.template(text).map { $0.map { .text($0, isPlain: false) } }
        : Located(value: .standardInput, location: node.location)
    }
  }

  /// Whether a mapping is `{step: ...}` or `{step: ..., get: ...}`. With other keys it is a value.
  private func isReference(_ node: YAMLNode) -> Bool {
    guard case .mapping(let fields) = node.content else { return false }
    let keys = fields.compactMap(\.key.text)
    return keys.contains("step") && keys.allSatisfy { ["step", "get"].contains($0) }
  }

  /// Reads `{step: NAME, get: PATH}`.
  private func reference(_ node: YAMLNode) -> Located<ResultReference>? {
    let what = "a reference to a step"
    guard let record = document.record(of: node, what: what, known: ["step", "get"]),
      let step = document.required("step", of: record, what: what),
      let name = fixed(step, what: "the step's name")
    else { return nil }
    var reference = ResultReference(step: name.value)
    if let node = record["get"] {
      guard let path = path(node) else { return nil }
      reference.path = path
    }
    return Located(value: reference, location: name.location)
  }

  /// Reads a path: a text, or a list of its parts, which are arbitrary texts.
  private func path(_ node: YAMLNode) -> ResultPath? {
    if case .sequence(let elements) = node.content {
      return ResultPath(
        parts: elements.compactMap { element in
          document.text(of: element, what: "a part of \"get\"").map { text in
            if case .scalar(_, isPlain: true) = element.content, let index = Int(text.value) { return .index(index) }
            return .name(text.value)
          }
        })
    }
    guard let text = fixed(node, what: "\"get\"") else { return nil }
    do {
      return try ResultPath(parsing: text.value)
    } catch {
      document.report(text.location, error.message)
      return nil
    }
  }

  /// Reads `NAME`, a reference, a list of names, or a mapping of names to either.
  func result(_ node: YAMLNode) -> Pipeline.Result? {
    switch node.content {
    case .scalar: return resultReference(node).map { .one($0) }
    case .mapping where isReference(node): return reference(node).map { .one($0) }
    case .sequence(let elements):
      if elements.isEmpty { reportNoResult(node) }
      let names = (document.elements(of: node, what: "\"result\"") ?? []).compactMap { element -> Located<String>? in
        guard isReference(element) else { return fixed(element, what: "a result's step") }
        document.report(
          element.location, "a part of a result needs a name to be printed with: {NAME: {step: STEP, get: PART}}")
        return nil
      }
      var known: Set<String> = []
      for name in names where !known.insert(name.value).inserted {
        document.report(name.location, "\"\(name.value)\" is twice in \"result\", whose names are those of one object")
      }
      return .several(names.map { name in (name.value, name.map { ResultReference(step: $0) }) })
    case .mapping:
      let fields = document.fields(of: node, what: "\"result\"") ?? []
      if case .mapping(let mapping) = node.content, mapping.isEmpty { reportNoResult(node) }
      return .several(
        fields.compactMap { field in resultReference(field.value).map { (field.key.value, $0) } })
    }
  }

  private func reportNoResult(_ node: YAMLNode) {
    document.report(node.location, "a result needs at least one step; leave \"result\" out for that of the last one")
  }

  private func resultReference(_ node: YAMLNode) -> Located<ResultReference>? {
    if case .mapping = node.content { return reference(node) }
    guard let name = fixed(node, what: "the result's step") else { return nil }
    // As in texts and conditions, with a path: steps.include.result.
    if name.value.hasPrefix("steps."), let reference = try? ResultReference(parsing: name.value.dropFirst(6)) {
      return name.map { _ in reference }
    }
    return name.map { ResultReference(step: $0) }
  }

  /// Reads a value that contains no files and no results.
  func constantInput(_ node: YAMLNode, what: String) -> Located<Pipeline.Input>? {
    let located = { (input: Pipeline.Input) in Located(value: input, location: node.location) }
    switch node.content {
    case .mapping:
      return document.fields(of: node, what: what).map { fields in
        located(
          .mapping(
            fields.compactMap { field in
              constantInput(field.value, what: "\"\(field.key.value)\"").map { .init(name: field.key, value: $0) }
            }))
      }
    case .sequence:
      return document.elements(of: node, what: what).map { elements in
        located(.list(elements.compactMap { constantInput($0, what: "an element of \(what)") }))
      }
    case .scalar(_, let isPlain):
      if node.isNull { return located(.null) }
      return constant(node, what: what).map { $0.map { .text($0, isPlain: isPlain) } }
    }
  }

  /// Reads a text that may contain variables, but no results.
  func constant(_ node: YAMLNode, what: String) -> Located<Template>? {
    guard let template = template(node, what: what) else { return nil }
    guard template.value.results.isEmpty else {
      document.report(template.location, "\(what) cannot have a step's result in it: it is needed before any step runs")
      return nil
    }
    return template
  }
}
