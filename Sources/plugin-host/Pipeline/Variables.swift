import PluginRuntime

/// The values of a pipeline's variables: the user's, or else the file's.
enum Variables {
  /// `given` are the user's names and values. Errors in the file are appended to `mistakes`; errors in `given` are
  /// thrown, because they have no location in the file.
  static func values(
    of pipeline: Pipeline, given: [VariableSetting], secrets: [String: String] = [:], mistakes: inout [Mistake]
  ) throws(Failure) -> [String: String] {
    let names = pipeline.variables.map(\.name.value)
    // Variables of included files have a dot in their names, and get their values from "include".
    let own = names.filter { !$0.contains(".") }
    var values = secrets
    for setting in given {
      let name = setting.name
      guard own.contains(name) else {
        let hint = Suggestion.near(name, among: own)
        throw Failure(.usage, "--set \(name): the pipeline has no variable \"\(name)\"\(hint)")
      }
      guard RawText.isText(setting.value) else {
        throw Failure(.usage, "--set \(name): the value is not UTF-8 text; pass other content as a file, \"@FILE\"")
      }
      guard values.updateValue(RawText.string(setting.value), forKey: name) == nil else {
        throw Failure(.usage, "--set \(name): given more than once")
      }
    }
    for secret in pipeline.secrets where names.contains(secret.name.value) {
      mistakes.report(
        secret.name.location, "a variable and a secret named \"\(secret.name.value)\"; give one another name")
    }
    var above = Set(secrets.keys)
    var budget = ExpansionBudget()
    for variable in pipeline.variables {
      let name = variable.name.value
      if !above.insert(name).inserted {
        mistakes.report(variable.name.location, "a second variable named \"\(name)\"; give it another name")
      }
      if let initial = variable.initial {
        for used in initial.value.variables where used == name || !above.contains(used) {
          let message =
            names.contains(used)
            ? "the variable \"\(used)\" has no value yet: only those above \"\(name)\" can be used here"
            : pipeline.noVariable(used)
          mistakes.report(initial.location, message)
        }
        guard values[name] == nil else { continue }
        if let message = budget.take(initial.value, with: values) {
          mistakes.report(initial.location, message)
        } else {
          values[name] = initial.value.expanded(with: values)
        }
      } else if values[name] == nil {
        throw Failure(.usage, "the variable \"\(name)\" has no value: give it one with --set \(name)=VALUE")
      }
    }
    return values
  }
}

extension Pipeline {
  /// The message for a name that no variable of its file has.
  ///
  /// - Parameter rule: a further rule, after that for variables.
  func noVariable(_ name: String, rule: String = "") -> String {
    // The names of an included file have the include before them.
    let prefix = name.lastIndex(of: ".").map { String(name[...$0]) } ?? ""
    let names = (variables.map(\.name) + secrets.map(\.name)).map(\.value).filter { $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }.filter { !$0.contains(".") }
    let written = String(name.dropFirst(prefix.count))
    let hint = Suggestion.near(written, among: names)
    let place = prefix.isEmpty ? "" : " in this included file"
    let rules =
      prefix.isEmpty
      ? "\"set\" declares them" : "\"set\" declares them here, and \"set\" of the include gives them values"
    return "no variable is named \"\(written)\"\(place)\(hint.isEmpty ? "; \(rules)\(rule)" : hint)"
  }
}
