import PluginRuntime

/// A pipeline that has been checked: every name refers to something, every argument suits its parameter.
struct PipelinePlan: Sendable {
  /// The steps in the order of the file, by which they are numbered.
  var steps: [Step]
  /// All steps, each after those that it waits for.
  var order: [Int]
  /// The number of the first final step. Final steps run after all others, however these end.
  var firstFinal: Int
  /// The pipeline's result.
  var result: Result
  /// The configuration in the file.
  var settings: [PluginSetting]

  struct Step: Sendable {
    var name: String
    var call: Call
    /// The steps that must be fulfilled first.
    var inputs: [Int]
    var rescue: Rescue?
    var condition: Test?
    var each: Each?
    /// The steps that take the events of this one.
    var consumers: [Int] = []
    var retry: Retry?
    /// Steps with the same name here run one at a time, on one thread.
    var serial: String?
  }

  /// A condition, with the steps whose results are in it and the variables' values.
  struct Test: Sendable {
    var condition: Expression
    var steps: [String: Int]
    var variables: [String: String]
    /// Whether it is tested for each element of the step's list, because the element or its index is in it.
    var isForEach = false
  }

  /// The elements or events for each of which a call is made.
  struct Each: Sendable {
    var source: Source
    /// The number of calls at once.
    var limit: Int

    enum Source: Sendable {
      case list(Input)
      /// The events of the step with that number.
      case stream(Int)
    }
  }

  /// An element of a list, or an event.
  struct Element: Sendable {
    var value: PluginValue
    var shape = ResultShape.any
    /// The index in the list, if a condition left out others.
    var index: Int?
    /// The element with each scalar without quotes as its text, if the file contains the list.
    var written: PluginValue?
  }

  struct Call: Sendable {
    var plugin: PluginDescription
    var function: FunctionDescription
    /// The arguments by parameter names. Omitted parameters have a default.
    var arguments: [(parameter: Parameter, input: Input)]
    /// The time limit in seconds.
    var timeout: Double?
    /// Whether the result depends only on the arguments.
    var isPure = false

    /// The function's name for people: `digest.sha256`.
    var label: String { "\(plugin.shortName).\(function.signature.name)" }
  }

  indirect enum Input: Sendable {
    case text(String)
    case standardInput
    case value(PluginValue)
    /// A scalar without quotes in a list of `each`: its text, for places whose type determines the value, and the value
    /// for others.
    case plain(String, PluginValue)
    case result(StepResult)
    /// A text with results in it. A single result keeps its type if the parameter takes no text.
    case composed([TextPart])
    /// The content of the file at that path.
    case file([TextPart])
    case list([Input], element: ValueType)
    case object([(name: String, input: Input, type: ValueType)])
    case callback(Callback)
    case outlet(Outlet)
  }

  /// A callback, with the steps whose results are in its expression.
  struct Callback: Sendable {
    var target: CallbackTarget
    var steps: [String: Int] = [:]
  }

  /// A callback whose calls are the events of the step.
  struct Outlet: Sendable {
    var parameter: String
    var type: CallbackType
    /// The number of events that are buffered for a step before the callback waits.
    var capacity: Int
    /// The callback's result.
    var returned: PluginValue
  }

  enum TextPart: Sendable {
    case text(String)
    /// A result, with the reference as written in the file.
    case result(StepResult, source: String)
  }

  /// The result of the step with that number, or a part of it.
  struct StepResult: Sendable {
    var step: Int
    var path = ResultPath()

    /// Substitutes for a step's number: the current element of the list of a step with `each`, and its index.
    static let item = -1
    static let index = -2
  }

  enum Result: Sendable {
    case one(StepResult, ResultShape)
    /// Results by the names that they are printed with.
    case several([(name: String, result: StepResult, shape: ResultShape)])
  }

  enum Rescue: Sendable {
    case value(PluginValue)
    /// A substitute call, with the steps whose results it uses.
    case call(Call, inputs: [Int])
  }
}

extension PipelinePlan {
  /// Whether there are steps that run after all others.
  var hasFinalSteps: Bool { firstFinal < steps.count }

  /// Whether a step uses the result of the step with that number, or the pipeline's result contains it.
  func usesResult(of number: Int) -> Bool {
    result.steps.contains(number)
      || steps.contains { step in
        if case .call(_, let inputs) = step.rescue, inputs.contains(number) { return true }
        return step.inputs.contains(number) && !after(step).contains(number)
      }
  }

  /// Whether the results of some calls may be kept.
  var hasPureCalls: Bool { calls.contains(where: \.isPure) }

  /// The calls of the steps, and those that rescue them.
  var calls: [Call] {
    steps.flatMap { step in
      if case .call(let call, _) = step.rescue { [step.call, call] } else { [step.call] }
    }
  }
}

extension PipelinePlan.Step {
  /// The type of the result.
  var shape: ResultShape {
    let shape = call.function.signature.shape
    return each == nil ? shape : .list(shape)
  }

  /// The step whose events this one takes.
  var source: Int? { if case .stream(let source)? = each?.source { source } else { nil } }
}

extension PipelinePlan.Test {
  /// Evaluates the condition on the results of the steps.
  func isTrue(_ results: StepResults) throws -> Bool {
    try condition.isTrue { operand in
      switch operand {
      case .variable("item") where isForEach: try results.operand(.init(step: PipelinePlan.StepResult.item))
      case .variable("index") where isForEach: results[PipelinePlan.StepResult.index] ?? .void
      case .variable(let name): .string(variables[name] ?? "")
      case .result(let reference):
        try steps[reference.step].map { try results.operand(.init(step: $0, path: reference.path)) } ?? .void
      default: .void
      }
    }
  }
}

extension PipelinePlan.Test {
  /// Returns the elements for which the condition holds; all of them, if no element is in it.
  func chosen(from elements: [PipelinePlan.Element], _ results: StepResults) throws -> [PipelinePlan.Element] {
    guard isForEach else { return elements }
    return try elements.enumerated().compactMap { index, element in
      do {
        guard try isTrue(results.adding(element, at: index)) else { return nil }
      } catch {
        throw MissingPart("\(CallFailure.place(ofElement: index))\(error)")
      }
      var element = element
      element.index = index
      return element
    }
  }
}

extension PipelinePlan.Result {
  /// The steps whose results are needed.
  var steps: Set<Int> {
    switch self {
    case .one(let result, _): [result.step]
    case .several(let results): Set(results.map(\.result.step))
    }
  }

  var shape: ResultShape {
    switch self {
    case .one(_, let shape): shape
    case .several(let results): .object(results.map { ($0.name, $0.shape) })
    }
  }

  /// Makes the printed value from the results of the steps. A part of a step without a result, which was
  /// skipped, is null.
  func value(_ results: StepResults) throws(MissingPart) -> PluginValue {
    func value(of result: PipelinePlan.StepResult) throws(MissingPart) -> PluginValue {
      results[result.step] == nil ? .void : try results.value(of: result)
    }
    switch self {
    case .one(let result, _): return try value(of: result)
    case .several(let entries):
      var members: [PluginMember] = []
      for entry in entries { members.append(PluginMember(entry.name, try value(of: entry.result))) }
      return .object(members)
    }
  }
}
