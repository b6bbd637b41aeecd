/// A pipeline file as it is written, well-formed but not checked: names may refer to nothing.
struct Pipeline: Sendable {
  /// Ids, names or paths of plugins.
  var plugins: [Located<String>] = []
  var variables: [Variable] = []
  var configuration: [Setting] = []
  /// In the file's order.
  var steps: [Step] = []
  /// The step whose result is printed; nil: the last one.
  var result: Located<String>?

  /// A variable that `--set` may give a value.
  struct Variable: Sendable {
    var name: Located<String>
    /// Nil: `--set` must give it one. May use the variables above it.
    var initial: Located<Template>?
  }

  /// What a plugin finds under a key of its configuration.
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
    /// What becomes of the step if it is rejected, by itself or for want of an input.
    var rescue: Rescue?
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

  enum Input: Sendable {
    case text(Template)
    /// The content of the file at a path.
    case file(Template)
    case standardInput
    /// The result of the step of that name.
    case step(String)
  }

  enum Rescue: Sendable {
    /// The result instead; nil for a function that has none.
    case value(Located<Template?>)
    case call(Call)
  }
}
