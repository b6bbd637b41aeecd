/// A pipeline file as it is written, well-formed but not checked: names may refer to nothing.
struct Pipeline: Sendable {
  /// Ids, names or paths of plugins.
  var plugins: [Located<String>] = []
  /// The places of plugins, by their names in `plugins`; for others the command line decides.
  var places: [String: PluginPlacement] = [:]
  /// The capabilities of plugins in worker processes, by their names in `plugins`.
  var capabilities: [String: [Located<String>]] = [:]
  /// The folders from which the paths of capabilities start, by the names of plugins.
  var folders: [String: String] = [:]
  /// The files whose steps are part of it; they are not in `steps` before `include(_:mistakes:)`.
  var includes: [Include] = []
  var variables: [Variable] = []
  /// Variables whose values are never printed.
  var secrets: [Secret] = []
  var configuration: [Setting] = []
  /// Functions whose results depend on their arguments alone.
  var pure: [Target] = []
  /// In the file's order.
  var steps: [Step] = []
  /// The number of the first final step. Final steps run after all others, however these end.
  var firstFinal: Int?
  /// The results that are printed; nil: that of the last step.
  var result: Result?

  /// A variable that `--set` may give a value.
  struct Variable: Sendable {
    var name: Located<String>
    /// Nil: `--set` must give it one. May use the variables above it.
    var initial: Located<Template>?
  }

  /// Another pipeline file, with values for its variables.
  struct Include: Sendable {
    var name: Located<String>
    /// A relative path starts from the folder of the file that has it.
    var file: Located<String>
    var settings: [(name: Located<String>, value: Located<Template>)]
  }

  /// A variable whose value is never printed.
  struct Secret: Sendable {
    var name: Located<String>
    var source: Source

    enum Source: Sendable {
      /// A variable of the environment.
      case environment(Located<String>)
      /// A file, whose last line break does not count.
      case file(Located<String>)
    }
  }

  /// A value of a plugin's configuration.
  struct Setting: Sendable {
    var plugin: Located<String>
    var key: String
    var value: Located<Template>
  }

  struct Step: Sendable {
    var name: Located<String>
    var call: Call
    /// Steps that must be fulfilled first, though their results are not used.
    var after: [Located<String>] = []
    /// The effect of a rejection of the step, by itself or for want of an input.
    var rescue: Rescue?
    /// Whether the result depends on the arguments alone; nil: if the function is listed as such.
    var isPure: Located<Bool>?
    /// The step is skipped unless this holds.
    var condition: Located<Expression>?
    /// The call is made for each element of this list.
    var each: Located<Input>?
    /// The number of elements at once.
    var limit: Int?
    var retry: Retry?
    /// Steps with the same name here run one at a time, on one thread.
    var serial: String?
  }

  /// A function as it is named: `plugin.function`.
  struct Target: Sendable {
    /// A plugin's id, or the last component of it.
    var plugin: Located<String>
    var function: Located<String>
  }

  struct Call: Sendable {
    /// A plugin's id, or the last component of it.
    var plugin: Located<String>
    var function: Located<String>
    var arguments: [Argument] = []
    /// In seconds, from when the inputs are there.
    var timeout: Double?
  }

  struct Argument: Sendable {
    var name: Located<String>
    var value: Located<Input>
  }

  indirect enum Input: Sendable {
    /// A text; a plain one has no quotes, and is a number, a truth value or null where no type says otherwise.
    case text(Template, isPlain: Bool)
    /// The content of the file at a path.
    case file(Template)
    case standardInput
    /// In a list or a mapping only.
    case null
    case result(ResultReference)
    case list([Located<Input>])
    case mapping([Argument])
  }

  enum Result: Sendable {
    case one(Located<ResultReference>)
    /// By the names that they are printed with.
    case several([(name: String, reference: Located<ResultReference>)])
  }

  enum Rescue: Sendable {
    /// The result instead; nil for a function that has none.
    case value(Located<Template?>)
    case call(Call)
  }
}
