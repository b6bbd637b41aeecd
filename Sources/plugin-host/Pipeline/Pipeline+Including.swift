import PluginRuntime

/// Makes one pipeline of a file and those that it includes.
extension Pipeline {
  /// The part of an included pipeline that the including file can refer to.
  struct Included {
    var result: Result?
    /// The steps that are not final.
    var steps: [String]
  }

  /// Returns the pipeline with a prefix for its steps and variables: `NAME.STEP` and `NAME.VARIABLE`.
  func prefixed(with prefix: String) -> Pipeline {
    var pipeline = self
    let name = { (name: Located<String>) in name.map { "\(prefix).\($0)" } }
    let renaming = PipelineRenaming(
      result: { reference, _ in ResultReference(step: "\(prefix).\(reference.step)", path: reference.path) },
      steps: { [name($0)] }, variable: { "\(prefix).\($0)" })
    pipeline.variables = variables.map { Variable(name: name($0.name), initial: $0.initial.map(renaming.template)) }
    pipeline.secrets = secrets.map { Secret(name: name($0.name), source: $0.source) }
    pipeline.configuration = configuration.map {
      Setting(plugin: $0.plugin, key: $0.key, value: renaming.template($0.value), scope: [prefix] + $0.scope)
    }
    pipeline.steps = steps.map { step in
      var step = renaming.step(step)
      step.name = name(step.name)
      return step
    }
    pipeline.result = result.map(renaming.printed)
    return pipeline
  }

  /// Adds the included pipelines, and resolves references to their results.
  mutating func include(_ pipelines: [(include: Include, pipeline: Pipeline)], mistakes: inout [Mistake]) {
    var included: [String: Included] = [:]
    var steps: [Step] = []
    var finals: [Step] = []
    let own = Set(self.steps.map(\.name.value))
    if own.isEmpty, result == nil, let include = pipelines.first?.include {
      mistakes.report(include.name.location, "a pipeline without steps of its own needs the key \"result\"")
    }
    for (include, pipeline) in pipelines {
      let name = include.name.value
      if own.contains(name) {
        mistakes.append(
          Mistake(location: include.name.location, message: "a step and an include are both named \"\(name)\""))
      }
      let part = pipeline.prefixed(with: name)
      let count = part.firstFinal ?? part.steps.count
      steps += part.steps[..<count]
      finals += part.steps[count...]
      let last = part.steps[..<count].last.map { step in
        Result.one(step.name.map { ResultReference(step: $0) })
      }
      included[name] = Included(result: part.result ?? last, steps: part.steps[..<count].map(\.name.value))
      addVariables(of: part, include, &mistakes)
      secrets += part.secrets
      configuration += part.configuration
      pure += part.pure
      addPlugins(of: part, &mistakes)
    }
    resolve(included, &mistakes)
    let count = firstFinal ?? self.steps.count
    let ownFinals = self.steps[count...]
    self.steps = steps + self.steps[..<count]
    if firstFinal != nil || !finals.isEmpty { firstFinal = self.steps.count }
    self.steps += ownFinals + finals
  }

  private mutating func resolve(_ included: [String: Included], _ mistakes: inout [Mistake]) {
    var found: [Mistake] = []
    let renaming = PipelineRenaming(
      result: { reference, location in
        guard let part = included[reference.step] else { return reference }
        do throws(ResultPath.PathError) {
          return try part.reference(reference)
        } catch {
          found.append(Mistake(location: location, message: error.message))
          return reference
        }
      },
      steps: { name in included[name.value]?.steps.map { step in name.map { _ in step } } ?? [name] },
      variable: { $0 })
    steps = steps.map { renaming.step($0) }
    result = result.map { renaming.printed($0) }
    mistakes += found
  }

  private mutating func addVariables(of part: Pipeline, _ include: Include, _ mistakes: inout [Mistake]) {
    let prefix = include.name.value + "."
    var settings = Dictionary(include.settings.map { ($0.name.value, $0) }) { first, _ in first }
    for var variable in part.variables {
      let name = String(variable.name.value.dropFirst(prefix.count))
      if let setting = settings.removeValue(forKey: name) {
        variable.initial = setting.value
      } else if variable.initial == nil {
        let message = "the include \"\(include.name.value)\" needs \"\(name)\" in \"set\": its file gives it no value"
        mistakes.report(include.name.location, message)
      }
      variables.append(variable)
    }
    let names = part.variables.map { String($0.name.value.dropFirst(prefix.count)) }.filter { !$0.contains(".") }
    for setting in include.settings where settings[setting.name.value] != nil {
      let hint = Suggestion.near(setting.name.value, among: names)
      let list = names.isEmpty ? "; it has none" : "; it has \(names.joined(separator: ", "))"
      let message = "\(include.file.value) has no variable \"\(setting.name.value)\"\(hint.isEmpty ? list : hint)"
      mistakes.report(setting.name.location, message)
    }
  }

  /// Adds the plugins of an included file. A plugin runs in one place, even if several files list it.
  private mutating func addPlugins(of part: Pipeline, _ mistakes: inout [Mistake]) {
    for plugin in part.plugins {
      let name = plugin.value
      if plugins.contains(where: { $0.value == name }) {
        let isSame =
          places[name] == part.places[name]
          && capabilities[name]?.map(\.value) == part.capabilities[name]?.map(\.value)
        if !isSame {
          let message =
            "the plugin \"\(name)\" has another place, or other capabilities, in the file that includes this one"
          mistakes.report(plugin.location, message)
        }
        continue
      }
      plugins.append(plugin)
      places[name] = part.places[name]
      capabilities[name] = part.capabilities[name]
      folders[name] = part.folders[name]
    }
  }
}

extension Pipeline.Included {
  /// Returns the result of the step that `NAME.result` with a path leads to.
  fileprivate func reference(_ reference: ResultReference) throws(ResultPath.PathError) -> ResultReference {
    let name = reference.step
    guard reference.path.parts.first == .name("result"), let result else {
      if let step = step(reference) { return step }
      let forms = "steps.\(name).result, or {step: \(name), get: result}"
      let hint = Suggestion.near("\(reference.path)", among: steps.map { String($0.dropFirst(name.count + 1)) })
      let names = steps.map { "steps.\($0)" }.joined(separator: ", ").truncated(to: 200)
      let list = names.isEmpty ? "" : "; its steps are \(names)"
      throw ResultPath.PathError(
        message: "\"\(name)\" is an include, whose result is \(forms)\(hint.isEmpty ? list : hint)")
    }
    var rest = reference.path.parts.dropFirst()
    switch result {
    case .one(let result):
      return ResultReference(step: result.value.step, path: ResultPath(parts: result.value.path.parts + rest))
    case .several(let entries):
      guard case .name(let part)? = rest.popFirst(), let entry = entries.first(where: { $0.name == part }) else {
        let names = entries.map { "steps.\(name).result.\($0.name)" }
        throw ResultPath.PathError(
          message: "the include \"\(name)\" has several results: write \(names.joined(separator: ", or "))")
      }
      let result = entry.reference.value
      return ResultReference(step: result.step, path: ResultPath(parts: result.path.parts + rest))
    }
  }

  /// The result of the step of the file, or of one that it includes, whose name the first parts of the path are.
  private func step(_ reference: ResultReference) -> ResultReference? {
    var name = reference.step
    for (index, part) in reference.path.parts.enumerated() {
      guard case .name(let next) = part else { return nil }
      name += ".\(next)"
      guard steps.contains(name) else { continue }
      return ResultReference(step: name, path: ResultPath(parts: Array(reference.path.parts[(index + 1)...])))
    }
    return nil
  }
}
