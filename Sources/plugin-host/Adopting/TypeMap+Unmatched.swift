import PluginRuntime

extension TypeMap {
  /// Returns a message for each name in the map that nothing has: neither the header nor, for a function, the library,
  /// whose other headers may share the map. Patterns are left out.
  func unmatched(in header: Header, types declared: Set<String>, exports: (String) -> Bool) -> [String] {
    let functions = Dictionary(header.functions.map { ($0.name, $0) }) { first, _ in first }
    var messages: [String] = []
    for name in Set(elements.keys).union(parameters.keys).filter({ !$0.contains("*") }).sorted() {
      guard let (function, parameter) = name.cut(at: ".") else { continue }
      guard let found = functions[function] else {
        if !exports(function) { messages.append("\(name): no such function" + near(function, Array(functions.keys))) }
        continue
      }
      let names = SignatureWriter.names(found)
      let places = parameters[name] == nil ? [] : names.indices.map { "argument\($0 + 1)" }
      if !(names + places + ["result", "..."]).contains(parameter) {
        let hint = near(parameter, names)
        let list = names.isEmpty ? "; it has none" : "; it has \(names.joined(separator: ", "))"
        messages.append("\(name): no such parameter\(hint.isEmpty ? list : hint)")
      }
    }
    for name in failures.keys.filter({ !$0.contains("*") }).sorted() {
      if functions[name] != nil || exports(name) || declared.contains(name) { continue }
      messages.append("\(name): no such function or type" + near(name, Array(functions.keys) + declared))
    }
    for name in types.keys.sorted() where !declared.contains(name) {
      messages.append("\(name): no such type" + near(name, Array(declared)))
    }
    return messages
  }

  private func near(_ name: String, _ names: [String]) -> String { Suggestion.near(name, among: names.sorted()) }
}
