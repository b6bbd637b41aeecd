/// Reads the includes: other files whose steps are part of a pipeline.
extension PipelineReader {
  /// Reads `{NAME: {file: PATH, set: {VARIABLE: VALUE}}}`.
  func includes(_ node: YAMLNode) -> [Pipeline.Include] {
    let fields = document.fields(of: node, what: "\"include\"") ?? []
    return fields.compactMap { field in
      let what = "the include \"\(field.key.value)\""
      guard isName(field.key, of: "an include"),
        let record = document.record(of: field.value, what: what, known: ["file", "set"]),
        let node = document.required("file", of: record, what: what),
        let file = fixed(node, what: "the file of \(what)")
      else { return nil }
      let settings = record["set"].flatMap { document.fields(of: $0, what: "\"set\"") } ?? []
      return Pipeline.Include(
        name: field.key, file: file,
        settings: settings.compactMap { setting in
          constant(setting.value, what: "the variable \"\(setting.key.value)\"").map { (setting.key, $0) }
        })
    }
  }
}
