import PluginRuntime

extension AdoptionFile {
  /// Returns a line with the place of the function that an error of its library is about: the library does not export
  /// it, or a function that its signature names. Nil for other errors.
  static func note(on error: PluginError, in adoption: Adoption) -> String? {
    guard let path = adoption.file, let index = adoption.functions.firstIndex(where: error.isAbout),
      let file = try? SourceFile.readRegular(path, or: .notLoaded)
    else { return nil }
    let document = YAMLDocument(file: file)
    guard let root = document.root(), let fields = document.fields(of: root, what: "an adoption"),
      let list = fields.first(where: { $0.key.value == "functions" })?.value,
      let nodes = document.elements(of: list, what: "\"functions\""), nodes.indices.contains(index)
    else { return nil }
    let place = "\(path):\(nodes[index].location.line):\(nodes[index].location.column)"
    return "\(place): note: \"\(adoption.functions[index].signature.name)\" is listed here".displayLine
  }
}

extension PluginError {
  /// Whether the error is about a function of an adopted library.
  fileprivate func isAbout(_ function: Adoption.Function) -> Bool {
    let name = function.signature.name
    return message.hasPrefix("does not define \(function.symbol ?? name):")
      || message.contains("in the signature of '\(name)'")
  }
}
