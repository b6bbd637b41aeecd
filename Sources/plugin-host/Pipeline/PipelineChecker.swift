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
  ) throws(PipelineMistakes) -> PipelinePlan {
    var checker = PipelineChecker(pipeline: pipeline, graph: graph, plugins: plugins, variables: variables)
    let plan = checker.plan()
    guard let plan, checker.mistakes.isEmpty else { throw PipelineMistakes(file: file, mistakes: checker.mistakes) }
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
    guard let result = result(), steps.count == pipeline.steps.count else { return nil }
    return PipelinePlan(steps: steps, order: graph.order, result: result)
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
    let parameters = function.signature.parameters
    var arguments = [PipelinePlan.Argument?](repeating: nil, count: parameters.count)
    var isRight = true
    for argument in call.arguments {
      guard let index = parameters.firstIndex(where: { $0.name == argument.name.value }) else {
        let hint = Suggestion.near(argument.name.value, among: parameters.map(\.name))
        let name = "\"\(argument.name.value)\""
        report(argument.name.location, "\(call.function.value) has no parameter \(name)\(hint); it is \(function.signature)")
        isRight = false
        continue
      }
      arguments[index] = self.argument(argument.value, for: parameters[index])
      if arguments[index] == nil { isRight = false }
    }
    for (index, parameter) in parameters.enumerated() {
      let isGiven = call.arguments.contains { $0.name.value == parameter.name }
      if isGiven { continue }
      arguments[index] = parameter.defaultValue.map { .value($0) }
      if arguments[index] == nil {
        report(call.function.location, "the parameter \"\(parameter.name)\" is missing; it is \(function.signature)")
        isRight = false
      }
    }
    guard isRight else { return nil }
    return PipelinePlan.Call(
      plugin: plugin, function: function, arguments: arguments.compactMap { $0 }, timeout: call.timeout)
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

  private mutating func argument(_ input: Located<Pipeline.Input>, for parameter: Parameter) -> PipelinePlan.Argument? {
    switch input.value {
    case .text(let template):
      guard let text = expanded(template, at: input.location) else { return nil }
      return value(of: text, at: input.location, name: parameter.name) { try parameter.value(of: text) }
        .map { .value($0) }
    case .file(let template):
      guard takesContent(parameter, at: input.location) else { return nil }
      return expanded(template, at: input.location).map { .file($0) }
    case .standardInput:
      guard takesContent(parameter, at: input.location) else { return nil }
      if let first = standardInput {
        report(input.location, "standard input can be read once; line \(first.line) does")
        return nil
      }
      standardInput = input.location
      return .standardInput
    case .step(let name):
      return graph.number(of: name).map { .step($0) }
    }
  }

  /// Whether the content of a file can be the parameter's.
  private mutating func takesContent(_ parameter: Parameter, at location: Location) -> Bool {
    if parameter.kind == .string || parameter.kind == .bytes { return true }
    let message = "\"\(parameter.name)\" is \(parameter.type): a file's content can only be a str, cstr or bytes"
    report(location, message)
    return false
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

  private mutating func value(
    of text: String, at location: Location, name: String, _ parse: () throws -> PluginValue
  ) -> PluginValue? {
    do {
      return try parse()
    } catch {
      report(location, "\"\(name)\": \(error)")
      return nil
    }
  }

  // MARK: References

  /// Whether each result that a call uses can be what its parameter takes.
  private mutating func checkReferences(
    of call: Pipeline.Call, planned: PipelinePlan.Call?, to calls: [PipelinePlan.Call?]
  ) {
    guard let planned else { return }
    let parameters = planned.function.signature.parameters
    for (parameter, argument) in zip(parameters, planned.arguments) {
      guard case .step(let number) = argument, let source = calls[number] else { continue }
      let result = source.function.signature.resultKind
      if result.suits(parameter.kind) { continue }
      let location = call.arguments.first { $0.name.value == parameter.name }?.value.location ?? call.function.location
      let name = pipeline.steps[number].name.value
      let message =
        result == .void
        ? "the step \"\(name)\" has no result; use \"after\" to run after it"
        : "\"\(parameter.name)\" is \(parameter.type), but the step \"\(name)\" gives \(result)"
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
        report(template.location, "the value must be what \(signature.name) gives, \(signature.resultKind)")
        return nil
      }
      guard let text = expanded(written, at: template.location) else { return nil }
      return value(of: text, at: template.location, name: "value") { try signature.resultValue(of: text) }
        .map { .value($0) }
    case .call(let written):
      guard let call = call(written) else { return nil }
      checkReferences(of: written, planned: call, to: calls)
      if let signature, call.function.signature.resultKind != signature.resultKind {
        let kinds = "\(call.function.signature.resultKind), but \(signature.name) gives \(signature.resultKind)"
        report(written.function.location, "\(call.function.signature.name) cannot stand in: it gives \(kinds)")
      }
      return .call(call, inputs: graph.rescueInputs[number])
    }
  }
}
