import PluginRuntime

/// A pipeline that has been checked: every name refers to something, every argument suits its parameter.
struct PipelinePlan: Sendable {
  /// In the file's order; steps are numbered by it.
  var steps: [Step]
  /// All steps, each after those that it waits for.
  var order: [Int]
  /// The step whose result is the pipeline's.
  var result: Int
  /// What the file configures.
  var settings: [PluginSetting]

  struct Step: Sendable {
    var name: String
    var call: Call
    /// The steps that must be fulfilled first.
    var inputs: [Int]
    var rescue: Rescue?
  }

  struct Call: Sendable {
    var plugin: PluginDescription
    var function: FunctionDescription
    /// By the names of parameters. Those that are left out have a default.
    var arguments: [(parameter: Parameter, input: Input)]
    /// In seconds.
    var timeout: Double?

    /// For people: `digest.sha256`.
    var label: String { "\(plugin.shortName).\(function.signature.name)" }
  }

  enum Input: Sendable {
    case text(ArgumentText)
    /// The result of the step of that number.
    case step(Int)
  }

  enum Rescue: Sendable {
    case value(PluginValue)
    /// With the steps whose results it uses.
    case call(Call, inputs: [Int])
  }
}
