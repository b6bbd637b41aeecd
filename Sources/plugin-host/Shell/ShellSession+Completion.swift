import PluginRuntime

extension ShellSession {
  /// Completes the end of the text: commands, plugins, functions, parameters and variables.
  func completion(of text: String) -> LineEditor.Completion {
    let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    let last = text.hasSuffix(" ") ? "" : words.last ?? ""
    var before = text.hasSuffix(" ") ? words : Array(words.dropLast())
    if before.dropFirst().first == "=" { before.removeFirst(2) }
    if let typed = last.cut(atLast: "$")?.after {
      return LineEditor.Completion(replaced: typed.count, candidates: names(variables.names, beginningWith: typed))
    }
    let candidates: [String]
    switch before.first {
    case nil: candidates = calls(last) + ShellCommandWord.allCases.map(\.rawValue)
    case "help"?: candidates = calls(last)
    case "use"?: candidates = pluginNames
    case "drop"?: candidates = variables.names
    case let call?:
      let function = try? function(call).1
      if let (name, typed) = last.cut(at: "="),
        function?.signature.inputs.first(where: { $0.name == name })?.type.callbackType != nil
      {
        return LineEditor.Completion(replaced: typed.count, candidates: names(calls(typed), beginningWith: typed))
      }
      candidates = function?.signature.inputs.map { "\($0.name)=" } ?? []
    }
    return LineEditor.Completion(replaced: last.count, candidates: names(candidates, beginningWith: last))
  }

  private func names(_ names: [String], beginningWith start: String) -> [String] {
    Set(names.filter { $0.hasPrefix(start) }).sorted()
  }

  /// Returns the functions of the plugin whose name and dot are typed; otherwise the plugins that can be called, each
  /// with a dot.
  private func calls(_ start: String) -> [String] {
    guard let name = start.cut(atLast: ".")?.before, let plugin = try? plugin(name) else {
      return pluginNames.map { $0 + "." }
    }
    return plugin.functions.map { "\(name).\($0.name)" }
  }

  private var pluginNames: [String] {
    plan.plugins.map(\.shortName) + Array(aliases.keys) + finder.names
  }
}
