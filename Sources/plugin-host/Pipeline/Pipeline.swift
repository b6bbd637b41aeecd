/// A pipeline file as it is written, well-formed but not checked: its names may not exist.
struct Pipeline: Sendable {
  /// The plugins, by ids, names or paths.
  var plugins: [Located<String>] = []
  /// The places of plugins, by their names in `plugins`; the command line decides for others.
  var places: [String: PluginPlacement] = [:]
  /// The capabilities of plugins in worker processes, by their names in `plugins`.
  var capabilities: [String: [Located<String>]] = [:]
  /// The folders from which the paths of capabilities start, by the names of plugins.
  var folders: [String: String] = [:]
  /// The files whose steps are part of the pipeline; they are not in `steps` before `include(_:mistakes:)`.
  var includes: [Include] = []
  var variables: [Variable] = []
  /// Variables whose values are never printed.
  var secrets: [Secret] = []
  var configuration: [Setting] = []
  /// Pure functions: their results depend only on their arguments.
  var pure: [Target] = []
  /// The steps in the file's order.
  var steps: [Step] = []
  /// The number of the first final step. Final steps run after all others, however these end.
  var firstFinal: Int?
  /// The results that are printed; nil: the result of the last step.
  var result: Result?

  /// A variable that `--set` may give a value.
  struct Variable: Sendable {
    var name: Located<String>
    /// The initial value, which may use the variables above; nil: `--set` must provide a value.
    var initial: Located<Template>?
  }

  /// Another pipeline file, with values for its variables.
  struct Include: Sendable {
    var name: Located<String>
    /// The path. A relative path starts from the folder of the file with the include.
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
      /// The content of a file, without its last line break.
      case file(Located<String>)
    }
  }

  /// A value of a plugin's configuration.
  struct Setting: Sendable {
    var plugin: Located<String>
    var key: String
    var value: Located<Template>
    /// The names of the includes that lead to its file.
    var scope: [String] = []
  }

  struct Step: Sendable {
    var name: Located<String>
    var call: Call
    /// Steps that must be fulfilled first, though their results are not used.
    var after: [Located<String>] = []
    /// The substitute if the step is rejected, by its own call or because an input is missing; with `each`, the
    /// substitute of a rejected call.
    var rescue: Rescue?
    /// Whether the result depends only on the arguments; nil: if the function is listed as pure.
    var isPure: Located<Bool>?
    /// The step is skipped unless this condition holds.
    var condition: Located<Expression>?
    /// The call is made for each element of this list.
    var each: Located<Input>?
    /// The call is made for each event of this step.
    var source: Located<String>?
    /// The number of elements or events processed at the same time.
    var limit: Int?
    var retry: Retry?
    /// Steps with the same name here run one at a time, on one thread, also those of included files.
    var serial: String?
  }

  /// The name of a function: `plugin.function`.
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
    /// The time limit in seconds, from when the call begins.
    var timeout: Double?
  }

  struct Argument: Sendable {
    var name: Located<String>
    var value: Located<Input>
  }

  indirect enum Input: Sendable {
    /// A text. A plain text has no quotes, and is a number, a truth value or null where no type determines it.
    case text(Template, isPlain: Bool)
    /// The content of the file at a path.
    case file(Template)
    case standardInput
    /// Null, in a list or a mapping only.
    case null
    case result(ResultReference)
    case list([Located<Input>])
    case mapping([Argument])
  }

  enum Result: Sendable {
    case one(Located<ResultReference>)
    /// The results by the names under which they are printed.
    case several([(name: String, reference: Located<ResultReference>)])
  }

  enum Rescue: Sendable {
    /// The substitute result: texts, nulls, lists and mappings, without files and results.
    case value(Located<Input>)
    case call(Call)
  }
}
