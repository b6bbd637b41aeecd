import PluginRuntime

/// Checks a pipeline against the plugins that it uses, before anything runs.
struct PipelineChecker {
  private let pipeline: Pipeline
  private let graph: StepGraph
  private let plugins: [PluginDescription]
  private let variables: [String: String]
  private var mistakes: [Mistake] = []
  /// Where standard input is read: it can be read once.
  private var standardInput: Location?

  /// What `pipeline` will do, with the values of its variables; or all that is wrong with it. `graph` is of its steps,
  /// and without mistakes.
  static func check(
    _ pipeline: Pipeline, in file: SourceFile, graph: StepGraph, plugins: [PluginDescription],
    variables: [String: String]
  ) throws(FileMistakes) -> PipelinePlan {
    var checker = PipelineChecker(pipeline: pipeline, graph: graph, plugins: plugins, variables: variables)
    let plan = checker.plan()
    guard let plan, checker.mistakes.isEmpty else { throw FileMistakes(file: file, mistakes: checker.mistakes) }
    return plan
  }

  private init(pipeline: Pipeline, graph: StepGraph, plugins: [PluginDescription], variables: [String: String]) {
    self.pipeline = pipeline
    self.graph = graph
    self.plugins = plugins
    self.variables = variables
  }

  private mutating func plan() -> PipelinePlan? {
    var calls: [PipelinePlan.Call?] = []
    for step in pipeline.steps { calls.append(call(step.call)) }
    var steps: [PipelinePlan.Step] = []
    for (number, step) in pipeline.steps.enumerated() {
      checkReferences(of: step.call, planned: calls[number], to: calls)
      let rescue = rescue(of: step, number: number, calls: calls)
      guard let call = calls[number] else { continue }
      steps.append(PipelinePlan.Step(name: step.name.value, call: call, inputs: graph.inputs[number], rescue: rescue))
    }
    let settings = settings()
    guard let result = result(), steps.count == pipeline.steps.count else { return nil }
    return PipelinePlan(steps: steps, order: graph.order, result: result, settings: settings)
  }

  private mutating func settings() -> [PluginSetting] {
    var settings: [PluginSetting] = []
    for setting in pipeline.configuration {
      guard let plugin = plugin(setting.plugin), let value = expanded(setting.value.value, at: setting.value.location)
      else { continue }
      settings.append(PluginSetting(plugin: plugin.id, key: setting.key, value: value))
    }
    return settings
  }

  /// The step whose result is the pipeline's.
  private mutating func result() -> Int? {
    guard let name = pipeline.result else { return pipeline.steps.indices.last }
    if let number = graph.number(of: name.value) { return number }
    report(name.location, "no step is named \"\(name.value)\"\(graph.suggestion(for: name.value))")
    return nil
  }

  private mutating func report(_ location: Location, _ message: String) {
    mistakes.append(Mistake(location: location, message: message))
  }

  // MARK: Calls

  private mutating func call(_ call: Pipeline.Call) -> PipelinePlan.Call? {
    guard let plugin = plugin(call.plugin), let function = function(call.function, of: plugin) else { return nil }
    let parameters = function.signature.inputs
    var arguments: [(parameter: Parameter, input: PipelinePlan.Input)] = []
    let before = mistakes.count
    for argument in call.arguments {
      guard let parameter = parameters.first(where: { $0.name == argument.name.value }) else {
        let hint = Suggestion.near(argument.name.value, among: parameters.map(\.name))
        let message = "\(function.name) has no parameter \"\(argument.name.value)\""
        report(argument.name.location, message + (hint.isEmpty ? "; it is \(function.signature)" : hint))
        continue
      }
      if let input = input(argument.value, for: parameter) { arguments.append((parameter, input)) }
    }
    let given = Set(call.arguments.map(\.name.value))
    for parameter in parameters where parameter.fallback == nil && !given.contains(parameter.name) {
      report(call.function.location, "the parameter \"\(parameter.name)\" is missing; it is \(function.signature)")
    }
    guard mistakes.count == before else { return nil }
    return PipelinePlan.Call(plugin: plugin, function: function, arguments: arguments, timeout: call.timeout)
  }

  private mutating func plugin(_ name: Located<String>) -> PluginDescription? {
    switch plugins.lookup(name.value) {
    case .found(let plugin): return plugin
    case .ambiguous(let ids):
      report(name.location, "\"\(name.value)\" may be \(ids.joined(separator: " or ")); write the whole id")
    case .unknown:
      let hint = Suggestion.near(name.value, among: plugins.map(\.shortName))
      report(name.location, "\"plugins\" does not list \"\(name.value)\"\(hint)")
    }
    return nil
  }

  private mutating func function(_ name: Located<String>, of plugin: PluginDescription) -> FunctionDescription? {
    if let function = plugin.function(named: name.value) { return function }
    let names = plugin.functions.map(\.signature.name)
    let hint = Suggestion.near(name.value, among: names)
    let list = names.isEmpty ? "; it has none" : "; it has \(names.joined(separator: ", "))"
    report(name.location, "\(plugin.id) has no function \"\(name.value)\"\(hint.isEmpty ? list : hint)")
    return nil
  }

  // MARK: Arguments

  private mutating func input(_ input: Located<Pipeline.Input>, for parameter: Parameter) -> PipelinePlan.Input? {
    switch input.value {
    case .text(let template):
      guard let text = expanded(template, at: input.location) else { return nil }
      check(text, as: parameter.type, at: input.location, name: parameter.name)
      return .text(.literal(text))
    case .file(let template):
      return expanded(template, at: input.location).map { .text(.file($0)) }
    case .standardInput:
      if let first = standardInput {
        report(input.location, "standard input can be read once; line \(first.line) does")
      }
      standardInput = input.location
      return .text(.standardInput)
    case .step(let name):
      return graph.number(of: name).map { .step($0) }
    }
  }

  private mutating func expanded(_ template: Template, at location: Location) -> String? {
    var isRight = true
    for name in template.variables where variables[name] == nil {
      let names = pipeline.variables.map(\.name.value)
      report(location, "no variable is named \"\(name)\"\(Suggestion.near(name, among: names)); \"set\" declares them")
      isRight = false
    }
    return isRight ? template.expanded(with: variables) : nil
  }

  /// Whether the text is one of the type's values. Returns the value.
  @discardableResult
  private mutating func check(_ text: String, as type: ValueType, at location: Location, name: String) -> PluginValue? {
    do {
      return try type.value(fromText: text)
    } catch {
      report(location, "\"\(name)\(error.path)\" \(error.message)")
      return nil
    }
  }

  // MARK: References

  /// Whether each result that a call uses can be what its parameter takes.
  private mutating func checkReferences(
    of call: Pipeline.Call, planned: PipelinePlan.Call?, to calls: [PipelinePlan.Call?]
  ) {
    guard let planned else { return }
    for (parameter, input) in planned.arguments {
      guard case .step(let number) = input, let source = calls[number]?.function.signature else { continue }
      if source.resultKind.suits(parameter.kind) { continue }
      let location = call.arguments.first { $0.name.value == parameter.name }?.value.location ?? call.function.location
      let name = pipeline.steps[number].name.value
      let message =
        source.resultKind == .void
        ? "the step \"\(name)\" has no result; use \"after\" to run after it"
        : "\"\(parameter.name)\" is \(parameter.type), but the step \"\(name)\" gives \(source.resultText)"
      report(location, message)
    }
  }

  private mutating func rescue(
    of step: Pipeline.Step, number: Int, calls: [PipelinePlan.Call?]
  ) -> PipelinePlan.Rescue? {
    let signature = calls[number]?.function.signature
    switch step.rescue {
    case nil: return nil
    case .value(let template):
      guard let signature else { return nil }
      guard let written = template.value else {
        if signature.resultKind == .void { return .value(.void) }
        report(template.location, "the value must be what \(signature.name) gives, \(signature.resultText)")
        return nil
      }
      guard let type = signature.result else {
        report(template.location, "\(signature.name) gives nothing: the value can only be null")
        return nil
      }
      guard let text = expanded(written, at: template.location) else { return nil }
      return check(text, as: type, at: template.location, name: "value").map { .value($0) }
    case .call(let written):
      guard let call = call(written) else { return nil }
      checkReferences(of: written, planned: call, to: calls)
      if let signature, call.function.signature.resultKind != signature.resultKind {
        let kinds = "\(call.function.signature.resultText), but \(signature.name) gives \(signature.resultText)"
        report(written.function.location, "\(call.function.name) cannot stand in: it gives \(kinds)")
      }
      return .call(call, inputs: graph.rescueInputs[number])
    }
  }
}
