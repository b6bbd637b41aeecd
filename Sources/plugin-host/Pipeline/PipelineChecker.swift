import PluginRuntime

/// Checks a pipeline against the plugins that it uses, before anything runs.
struct PipelineChecker {
  let pipeline: Pipeline
  private let files: [SourceFile]
  let graph: StepGraph
  private let plugins: [PluginDescription]
  /// The ids of plugins that make one call at a time.
  let single: Set<String>
  let variables: [String: String]
  private var mistakes: [Mistake] = []
  var budget = ExpansionBudget()
  /// The location that uses standard input, which can be read only once.
  var standardInput: Location?
  /// The types of the steps' results; nil for a step with a mistake in its call.
  private(set) var shapes: [ResultShape?] = []
  /// The functions that the file calls pure, as `id.function`.
  private var pure: Set<String> = []
  /// Whether the call being checked is made for each element of a list.
  private(set) var isForEach = false
  /// Whether the list of a step with `each` is being checked.
  private(set) var isListOfEach = false

  /// Makes the plan of `pipeline`, with the values of its variables, or reports all its mistakes. `graph` is the valid
  /// graph of its steps. `single` has the ids of plugins that make one call at a time.
  static func check(
    _ pipeline: Pipeline, in files: [SourceFile], graph: StepGraph, plugins: [PluginDescription],
    single: Set<String> = [], variables: [String: String]
  ) throws(FileMistakes) -> PipelinePlan {
    var checker = PipelineChecker(
      pipeline: pipeline, files: files, graph: graph, plugins: plugins, single: single, variables: variables)
    let plan = checker.plan()
    guard let plan, checker.mistakes.isEmpty else { throw FileMistakes(files: files, mistakes: checker.mistakes) }
    return plan
  }

  private mutating func plan() -> PipelinePlan? {
    var calls: [PipelinePlan.Call?] = []
    findPure()
    for step in pipeline.steps {
      isForEach = step.isForEach
      calls.append(call(step.call, isPure: step.isPure))
      isForEach = false
    }
    shapes = zip(calls, pipeline.steps).map { call, step in
      (call?.function.signature.shape).map { shape in
        if step.source != nil, shape.kind == .void { return .nothing }
        return step.isForEach ? .list(shape) : shape
      }
    }
    checkStreams(calls)
    var steps: [PipelinePlan.Step] = []
    for (number, step) in pipeline.steps.enumerated() {
      checkReferences(of: step.call, planned: calls[number])
      let rescue = rescue(of: step, number: number, calls: calls)
      let (condition, each) = control(of: step)
      guard let call = calls[number] else { continue }
      // A condition on elements may leave out those that do not suit.
      if let list = step.each, case .list(let input)? = each?.source, condition?.isForEach != true {
        checkElements(of: list, input, for: call)
      }
      steps.append(
        PipelinePlan.Step(
          name: step.name.value, call: call, inputs: graph.inputs[number], rescue: rescue, condition: condition,
          each: each, consumers: graph.consumers[number] ?? [], retry: step.retry, serial: step.serial))
    }
    if steps.count == pipeline.steps.count { checkWaiting(steps) }
    let settings = settings()
    guard let result = result(), steps.count == pipeline.steps.count else { return nil }
    return PipelinePlan(
      steps: steps, order: graph.order, firstFinal: pipeline.firstFinal ?? steps.count, result: result,
      settings: settings)
  }

  /// Checks the condition, the list and the retries of a step.
  private mutating func control(of step: Pipeline.Step) -> (PipelinePlan.Test?, PipelinePlan.Each?) {
    var test: PipelinePlan.Test?
    if let condition = step.condition {
      var numbers: [String: Int] = [:]
      var isForEach = false
      for operand in condition.value.operands {
        switch operand {
        case .variable(let name) where step.each != nil && Self.eachNames[name] != nil: isForEach = true
        case .part where step.each != nil: isForEach = true
        case .part:
          report(condition.location, "\"item\" needs \"each\" with a list in the same step")
        case .variable(let name) where variables[name] == nil:
          report(condition.location, pipeline.noVariable(name, rule: ", and texts stand in quotes"))
        case .result(let reference):
          numbers[reference.step] = graph.number(of: reference.step)
          _ = shape(of: reference, at: condition.location)
        default: break
        }
      }
      test = PipelinePlan.Test(
        condition: condition.value, steps: numbers, variables: variables, isForEach: isForEach)
    }
    if let source = step.source.flatMap({ graph.number(of: $0.value) }) {
      return (test, PipelinePlan.Each(source: .stream(source), limit: step.limit ?? Self.capacity))
    }
    guard let list = step.each, let input = elements(list) else { return (test, nil) }
    return (test, .init(source: .list(input), limit: step.limit ?? .max))
  }

  /// Checks the list of a step with `each`.
  private mutating func elements(_ list: Located<Pipeline.Input>) -> PipelinePlan.Input? {
    isListOfEach = true
    defer { isListOfEach = false }
    let before = mistakes.count
    let input = input(list, as: .value, name: "each")
    switch list.value {
    case .result, .list: checkList(list)
    case .text(let template, _) where !template.results.isEmpty: checkList(list)
    case .text(let template, _):
      // The values of variables are known: one may be a list in JSON.
      if case .array? = try? JSONText(parsing: Array(template.expanded(with: variables).utf8)) { break }
      fallthrough
    case .mapping, .file, .standardInput, .null:
      if mistakes.count == before {
        report(list.location, "\"each\" must be a list, or a result or a variable that is one")
      }
    }
    return mistakes.count == before ? input : nil
  }

  /// The settings of plugins. The settings of a file win over those of the files that it includes. Two files that do
  /// not include each other must have the same settings for a plugin.
  private mutating func settings() -> [PluginSetting] {
    var settings: [PluginSetting] = []
    var origins: [(scope: [String], location: Location)] = []
    // A file before those that it includes.
    for setting in pipeline.configuration.sorted(by: { $0.scope.count < $1.scope.count }) {
      guard let plugin = plugin(setting.plugin), let value = expanded(setting.value.value, at: setting.value.location)
      else { continue }
      let new = PluginSetting(plugin: plugin.id, key: setting.key, value: value)
      guard let index = settings.firstIndex(where: { $0.plugin == new.plugin && $0.key == new.key }) else {
        settings.append(new)
        origins.append((setting.scope, setting.value.location))
        continue
      }
      let first = origins[index]
      let isOverridden = setting.scope != first.scope && setting.scope.starts(with: first.scope)
      guard !isOverridden, settings[index].value != value else { continue }
      let file = files.first { $0.number == first.location.file }
      report(
        setting.value.location,
        "\"\(new.key)\" of \(new.plugin) has another value at "
          + "\(file?.path ?? ""):\(first.location.line):\(first.location.column); a file that includes both can give it one"
      )
    }
    return settings
  }

  /// Checks the printed results.
  private mutating func result() -> PipelinePlan.Result? {
    switch pipeline.result {
    case nil:
      return pipeline.steps.indices.prefix(pipeline.firstFinal ?? .max).last.map { number in
        .one(PipelinePlan.StepResult(step: number), shapes[number] ?? .any)
      }
    case .one(let reference): return result(reference).map { .one($0, $1) }
    case .several(let references):
      var results: [(name: String, result: PipelinePlan.StepResult, shape: ResultShape)] = []
      for (name, reference) in references {
        if let (result, shape) = result(reference) { results.append((name, result, shape)) }
      }
      return .several(results)
    }
  }

  private mutating func result(
    _ reference: Located<ResultReference>
  ) -> (PipelinePlan.StepResult, ResultShape)? {
    let name = reference.value.step
    guard let number = graph.number(of: name) else {
      report(reference.location, "no step is named \"\(name)\"\(graph.suggestion(for: name))")
      return nil
    }
    return shape(of: reference.value, at: reference.location).map {
      (PipelinePlan.StepResult(step: number, path: reference.value.path), $0)
    }
  }

  mutating func report(_ location: Location, _ message: String) {
    mistakes.report(location, message)
  }

  // MARK: Calls

  private mutating func call(_ call: Pipeline.Call, isPure: Located<Bool>? = nil) -> PipelinePlan.Call? {
    guard let plugin = plugin(call.plugin), let function = function(call.function, of: plugin) else { return nil }
    let inputs = function.signature.inputs
    let parameters = inputs + [function.signature.tail?.parameter].compactMap(\.self)
    var arguments: [(parameter: Parameter, input: PipelinePlan.Input)] = []
    let before = mistakes.count
    for argument in call.arguments {
      guard let parameter = parameters.first(where: { $0.name == argument.name.value }) else {
        let hint = Suggestion.near(argument.name.value, among: parameters.map(\.name))
        let message = "\(function.name) has no parameter \"\(argument.name.value)\""
        report(argument.name.location, message + (hint.isEmpty ? "; it is \(function.signature)" : hint))
        continue
      }
      if let input = input(argument.value, as: parameter.argumentType, name: parameter.name) {
        arguments.append((parameter, input))
      }
    }
    let given = Set(call.arguments.map(\.name.value))
    for parameter in inputs where parameter.fallback == nil && !given.contains(parameter.name) {
      report(call.function.location, "the parameter \"\(parameter.name)\" is missing; it is \(function.signature)")
    }
    if let isPure, isPure.value { checkPure(function, at: isPure.location) }
    guard mistakes.count == before else { return nil }
    let isPure = isPure?.value ?? pure.contains("\(plugin.id).\(function.name)")
    return PipelinePlan.Call(
      plugin: plugin, function: function, arguments: arguments, timeout: call.timeout, isPure: isPure)
  }

  private mutating func findPure() {
    for target in pipeline.pure {
      guard let plugin = plugin(target.plugin), let function = function(target.function, of: plugin) else { continue }
      checkPure(function, at: target.function.location)
      pure.insert("\(plugin.id).\(function.name)")
    }
  }

  /// Reports a mistake if the results of a pure function have no meaning in another process.
  private mutating func checkPure(_ function: FunctionDescription, at location: Location) {
    let types = function.signature.inputs.map(\.type) + function.signature.outputs.map(\.type)
    guard (types + [function.signature.yielded].compactMap(\.self)).contains(where: \.isOfThisProcess) else { return }
    report(
      location,
      "\(function.name) takes or returns values that are not valid in another run, so no result of it is kept; it is "
        + "\(function.signature)")
  }

  mutating func plugin(_ name: Located<String>) -> PluginDescription? {
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

  mutating func function(_ name: Located<String>, of plugin: PluginDescription) -> FunctionDescription? {
    if let function = plugin.function(named: name.value) { return function }
    let names = plugin.functions.map(\.signature.name)
    let hint = Suggestion.near(name.value, among: names)
    let all = names.count > PluginDescription.mostListed ? "\(names.count) functions" : names.joined(separator: ", ")
    let list = names.isEmpty ? "; it has none" : "; it has \(all)"
    report(name.location, "\(plugin.id) has no function \"\(name.value)\"\(hint.isEmpty ? list : hint)")
    return nil
  }

  private mutating func rescue(
    of step: Pipeline.Step, number: Int, calls: [PipelinePlan.Call?]
  ) -> PipelinePlan.Rescue? {
    let signature = calls[number]?.function.signature
    switch step.rescue {
    case nil: return nil
    case .value(let written):
      guard let signature else { return nil }
      if signature.resultKind == .void, case .null = written.value { return .value(.void) }
      guard let type = signature.yielded, signature.outputs.isEmpty else {
        let rule =
          signature.outputs.isEmpty
          ? "nothing: the value can only be null" : "values by parameters: only a call can replace them"
        report(written.location, "\(signature.name) returns \(rule)")
        return nil
      }
      let value = input(written, as: type, name: "value").flatMap { try? $0.value(of: type, StepResults()) }
      return value.map { .value($0) }
    case .call(let written):
      isForEach = step.isForEach
      defer { isForEach = false }
      guard let call = call(written) else { return nil }
      if !call.outlets.isEmpty {
        report(written.function.location, "the call of a rescue cannot give events: remove {stream: ROOM}")
      }
      checkReferences(of: written, planned: call)
      if let signature, call.function.signature.resultKind != signature.resultKind {
        let kinds = "\(call.function.signature.resultText), but \(signature.name) returns \(signature.resultText)"
        report(written.function.location, "\(call.function.name) cannot stand in: it returns \(kinds)")
      }
      return .call(call, inputs: graph.rescueInputs[number])
    }
  }
}

extension ValueType {
  /// Whether values of the type have a meaning in this process only.
  var isOfThisProcess: Bool {
    contains { kind in
      switch kind {
      case .pointer, .file, .callback, .token, .context: true
      default: false
      }
    }
  }
}
