import PluginRuntime

/// Checks the values in a file that are known before anything runs.
extension PipelineChecker {
  /// Checks a value that is passed for a parameter, or is in a list or a mapping of one.
  mutating func input(
    _ input: Located<Pipeline.Input>, as type: ValueType, name: String, isNested: Bool = false
  ) -> PipelinePlan.Input? {
    if let callback = type.callbackType { return self.callback(input, as: callback, type, name: name) }
    switch input.value {
    case .text(let template, let isPlain):
      if isOpen(template) { return textParts(template, at: input.location).map { .composed($0) } }
      guard let text = expanded(template, at: input.location) else { return nil }
      if isPlain, isListOfEach {
        // A parameter that takes text may take digits that no number holds.
        return .plain(text, Self.value(plain: text) ?? .string(text))
      }
      if isNested || type.content == .value {
        return check(text, isPlain: isPlain, as: type, at: input.location, name: name).map { .value($0) }
      }
      check(text, as: type, at: input.location, name: name)
      return .text(text)
    case .file(let template):
      guard !isOpen(template) else { return textParts(template, at: input.location).map { .file($0) } }
      return expanded(template, at: input.location).map { .file([.text($0)]) }
    case .standardInput:
      if let first = standardInput {
        report(input.location, "standard input can be read once; line \(first.line) reads it")
      }
      standardInput = input.location
      return .standardInput
    case .null:
      switch type {
      case .optional, .union, .promise(.optional): return .value(.void)
      default: if type.content == .value { return .value(.void) }
      }
      let hint = ArgumentKind(type).isText ? "; write \"\" for an empty text" : ""
      report(input.location, "\"\(name)\" is null, expected \(type.expectation)\(hint)")
      return nil
    case .result(let reference):
      return graph.number(of: reference.step).map {
        .result(PipelinePlan.StepResult(step: $0, path: reference.path))
      }
    case .list(let elements): return list(elements, as: type, at: input.location, name: name)
    case .mapping(let members): return object(members, as: type, at: input.location, name: name)
    }
  }

  private mutating func list(
    _ elements: [Located<Pipeline.Input>], as type: ValueType, at location: Location, name: String
  ) -> PipelinePlan.Input? {
    guard let element = type.listElement else {
      report(location, "\"\(name)\" is a list, expected \(type.expectation)")
      return nil
    }
    if case .list(_, let count?) = type.kind, count != elements.count {
      report(location, "\"\(name)\" has \(elements.count) elements, expected \(count)")
    }
    var inputs: [PipelinePlan.Input] = []
    for (index, value) in elements.enumerated() {
      guard let input = input(value, as: element, name: "\(name)[\(index)]", isNested: true) else { continue }
      inputs.append(input)
    }
    return .list(inputs, element: element)
  }

  private mutating func object(
    _ members: [Pipeline.Argument], as type: ValueType, at location: Location, name: String
  ) -> PipelinePlan.Input? {
    guard let fields = type.fieldTypes else {
      let hint = "; {step: NAME} is another step's result"
      report(location, "\"\(name)\" is a mapping, expected \(type.expectation)\(hint)")
      return nil
    }
    if fields.isEmpty { checkMisspelling(members) }
    var inputs: [(name: String, input: PipelinePlan.Input, type: ValueType)] = []
    for member in members {
      let key = member.name.value
      guard let field = fields.isEmpty ? .value : fields.first(where: { $0.name == key })?.type else {
        let names = fields.map(\.name)
        let hint = Suggestion.near(key, among: names)
        let list = "; it has \(names.joined(separator: ", "))"
        report(member.name.location, "\"\(name)\" has no field \"\(key)\"\(hint.isEmpty ? list : hint)")
        continue
      }
      guard let input = input(member.value, as: field, name: "\(name).\(key)", isNested: true) else { continue }
      inputs.append((key, input, field))
    }
    if case .union = type {
      if members.count != 1 {
        report(location, "\"\(name)\" has \(members.count) members, expected \(type.expectation)")
      }
      return .object(inputs)
    }
    let given = Set(members.map(\.name.value))
    for field in fields where !given.contains(field.name) {
      // The union's member determines the tag, and the elements determine their count.
      if case .structure(let type) = type.kind,
        type.union(taggedBy: field.name) != nil || type.isCount(field.name)
      {
        continue
      }
      // An optional field that is left out is absent.
      if field.type.isOptional {
        inputs.append((field.name, .value(.void), field.type))
      } else {
        report(location, "\"\(name).\(field.name)\" is missing, expected \(field.type.expectation)")
      }
    }
    return .object(inputs)
  }

  /// Reports a mapping that takes any keys and looks like a reference with a wrong key: it has the name of a step.
  private mutating func checkMisspelling(_ members: [Pipeline.Argument]) {
    let known = ["step", "get"]
    guard let wrong = members.map(\.name).first(where: { !known.contains($0.value) }),
      let step = members.first(where: { $0.name.value == "step" })
        ?? (members.count == 1 && Suggestion.distance(wrong.value, "step") == 1 ? members[0] : nil),
      case .text(let template, _) = step.value.value, graph.number(of: template.expanded(with: variables)) != nil
    else { return }
    let hint = Suggestion.near(wrong.value, among: known)
    report(wrong.location, "a reference to a step has no key \"\(wrong.value)\"\(hint)")
  }

  /// Whether the content of a text is known only when the step runs.
  private func isOpen(_ template: Template) -> Bool {
    !template.results.isEmpty || template.hasItem
      || isForEach && template.variables.contains { Self.eachNames[$0] != nil }
  }

  /// The names with a special meaning in a step with `each`.
  static let eachNames = ["item": PipelinePlan.StepResult.item, "index": PipelinePlan.StepResult.index]

  /// Checks that a result can be a list.
  mutating func checkList(_ input: Located<Pipeline.Input>) {
    let references =
      switch input.value {
      case .result(let reference): [reference]
      case .text(let template, _): template.results
      default: [ResultReference]()
      }
    for reference in references {
      guard let shape = shape(of: reference, at: input.location), ![.array, .any, .string].contains(shape.kind) else {
        continue
      }
      report(input.location, "\"each\" must be a list, but the step \"\(reference.step)\" returns \(shape.text)")
    }
  }

  /// Returns the parts of a text, with the values of variables; nil if it uses a variable that does not exist.
  private mutating func textParts(_ template: Template, at location: Location) -> [PipelinePlan.TextPart]? {
    guard expanded(template, at: location) != nil else { return nil }
    return template.parts.compactMap { part in
      switch part {
      case .text(let text): .text(text)
      case .variable(let name):
        if isForEach, let number = Self.eachNames[name] {
          .result(PipelinePlan.StepResult(step: number), source: part.source)
        } else {
          .text(variables[name] ?? "")
        }
      case .item(let path):
        .result(PipelinePlan.StepResult(step: PipelinePlan.StepResult.item, path: path), source: part.source)
      case .result(let reference):
        graph.number(of: reference.step).map {
          .result(PipelinePlan.StepResult(step: $0, path: reference.path), source: part.source)
        }
      }
    }
  }

  /// Returns the text of a template without results; nil if it uses a variable that does not exist.
  mutating func expanded(_ template: Template, at location: Location) -> String? {
    var isRight = true
    if template.hasItem, !isForEach {
      report(location, "\"${item...}\" needs \"each\" in the same step")
      isRight = false
    }
    for name in template.variables where variables[name] == nil {
      if isForEach, Self.eachNames[name] != nil { continue }
      report(location, pipeline.noVariable(name))
      isRight = false
    }
    guard isRight else { return nil }
    if let message = budget.take(template, with: variables) {
      report(location, message)
      return nil
    }
    return template.expanded(with: variables)
  }

  /// Checks that the text is one of the type's values. Returns the value.
  @discardableResult
  mutating func check(_ text: String, as type: ValueType, at location: Location, name: String) -> PluginValue? {
    do {
      return try type.value(fromText: text)
    } catch  where Redaction.isNeeded(in: text) {
      // The message would quote a part of the secret.
      report(location, "\"\(name)\" has a secret in it, expected \(type.expectation)")
      return nil
    } catch {
      report(location, "\"\(name)\(error.path)\" \(error.message)")
      return nil
    }
  }

  /// Returns the value of a scalar. If `type` fits several kinds, YAML's core schema decides.
  private mutating func check(
    _ text: String, isPlain: Bool, as type: ValueType, at location: Location, name: String
  ) -> PluginValue? {
    guard type.content == .value else { return check(text, as: type, at: location, name: name) }
    guard isPlain else { return .string(text) }
    // `.f64` gives the message for digits that no number holds.
    return Self.value(plain: text) ?? check(text, as: .f64, at: location, name: name)
  }

  /// Returns the value of a scalar without quotes, which is an array or an object if a variable has one of JSON. Nil
  /// for a number that no type holds.
  private static func value(plain text: String) -> PluginValue? {
    if ["[", "{"].contains(text.first), let value = try? ValueType.value.value(fromText: text) { return value }
    return PluginValue(plain: text)
  }

  // MARK: References

  /// Checks that each result that a call uses suits its parameter.
  mutating func checkReferences(of call: Pipeline.Call, planned: PipelinePlan.Call?) {
    guard let planned else { return }
    for argument in call.arguments {
      guard let parameter = planned.arguments.first(where: { $0.parameter.name == argument.name.value })?.parameter
      else { continue }
      checkReferences(in: argument.value, as: parameter.type, name: parameter.name)
    }
  }

  private mutating func checkReferences(in input: Located<Pipeline.Input>, as type: ValueType?, name: String) {
    switch input.value {
    case .standardInput, .null: break
    case .result(let reference): checkReference(reference, as: type, name: name, at: input.location)
    case .text(let template, _), .file(let template):
      let isFile = if case .file = input.value { true } else { false }
      for reference in template.results {
        // A result that is the whole text keeps its type; otherwise it becomes text.
        let isWhole = template.parts.count == 1 && !isFile && !ArgumentKind(type).isText
        checkReference(reference, as: isWhole ? type : nil, name: name, at: input.location, takesText: isWhole)
      }
    case .list(let elements):
      for (index, element) in elements.enumerated() {
        checkReferences(in: element, as: type?.listElement, name: "\(name)[\(index)]")
      }
    case .mapping(let members):
      for member in members {
        let field = type?.fieldTypes?.first { $0.name == member.name.value }?.type
        checkReferences(in: member.value, as: field, name: "\(name).\(member.name.value)")
      }
    }
  }

  /// - Parameter type: nil for a place that accepts every value with a text form.
  private mutating func checkReference(
    _ reference: ResultReference, as type: ValueType?, name: String, at location: Location, takesText: Bool = false
  ) {
    guard let shape = shape(of: reference, at: location) else { return }
    let step = reference.step
    if shape.kind == .void {
      return report(location, "the step \"\(step)\" has no result; use \"after\" to run after it")
    }
    guard let type, !shape.kind.suits(ArgumentKind(type)), !(takesText && shape.kind.isText) else { return }
    let part = reference.path.parts.isEmpty ? "" : "'s \(reference.path)"
    let found = part.isEmpty ? "returns \(shape.text)" : "is \(shape.text)"
    let hint = shape.member(for: ArgumentKind(type)).map { member in
      "; {step: \(step), get: \(ResultPath(parts: reference.path.parts + [.name(member)]))} is its \(member)"
    }
    report(location, "\"\(name)\" is \(type), but the step \"\(step)\"\(part) \(found)\(hint ?? "")")
  }

  /// Returns the type of the referenced result or part; nil, after reporting a mistake, if there is no such part.
  mutating func shape(of reference: ResultReference, at location: Location) -> ResultShape? {
    guard let number = graph.number(of: reference.step), let shape = shapes[number] else { return nil }
    do {
      return try shape.part(reference.path)
    } catch {
      if case .nothing = shape { return shape }
      report(location, "\"\(reference.path)\" of the step \"\(reference.step)\": \(error)")
      return nil
    }
  }
}

extension ArgumentKind {
  /// Whether every text is of this kind.
  var isText: Bool { self == .string || self == .bytes || self == .any }
}

extension ValueType {
  /// The fields of a mapping, in order: empty if any are allowed; nil if no mapping is a value of this type.
  var fieldTypes: [(name: String, type: ValueType)]? {
    switch kind {
    case .structure, .union: fields?.map { ($0.name, $0.type) }
    case .value, .error: []
    case .promise(let held): held?.fieldTypes
    default: nil
    }
  }
}
