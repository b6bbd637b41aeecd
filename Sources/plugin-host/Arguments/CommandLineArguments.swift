import PluginRuntime

/// The words after PLUGIN FUNCTION on the command line: `VALUE`, or `NAME=VALUE` with a parameter's name. A word after
/// `--` is a value unchanged, even if it looks like an option.
enum CommandLineArguments {
  /// Makes a parameter's callback from a text.
  typealias CallbackMaker = (_ text: String, _ parameter: String, CallbackType) throws(Failure) -> PluginCallback

  /// The deadline for reading files, and the failure when it passes.
  struct Limit {
    var deadline: ContinuousClock.Instant
    var failure: Failure
  }

  /// Converts the words to arguments of a function, together with the texts given by name. Reads files and standard
  /// input.
  ///
  /// - Parameter callback: `nil` where no word is a callback.
  static func arguments(
    _ words: [String], texts: [VariableSetting] = [], for signature: Signature, limit: Limit? = nil,
    callback: CallbackMaker?
  ) throws(Failure) -> [Argument] {
    var inputs: [(name: String?, text: ArgumentText)] = []
    let end = words.firstIndex(of: "--") ?? words.endIndex
    for word in words[..<end] {
      try refuseOption(word, among: [])
      let (name, value) = try split(word, for: signature)
      inputs.append((name, ArgumentText(value)))
    }
    inputs += words[end...].dropFirst().map { (nil, .literal($0)) }
    for text in texts {
      guard signature.argumentNames.contains(text.name) else { throw unknown(text.name, for: signature) }
      inputs.append((text.name, .literal(text.value)))
    }
    guard inputs.count(where: { $0.text == .standardInput }) < 2 else {
      throw Failure(.usage, "standard input can be read once, but two arguments are -")
    }
    var arguments: [Argument] = []
    let parameters = signature.parameters(ofNames: inputs.map(\.name))
    for ((name, text), parameter) in zip(inputs, parameters) {
      var content = try content(text, for: parameter, limit)
      if let callback, let parameter, let type = parameter.type.callbackType,
        let text = callbackText(content, for: parameter)
      {
        content = .callback(try callback(text, parameter.name, type))
      }
      arguments.append(Argument(name: name, content))
    }
    return arguments
  }

  /// Reads the value of one argument.
  static func content(
    _ text: ArgumentText, for parameter: Parameter?, _ limit: Limit?
  ) throws(Failure) -> Argument.Content {
    do {
      return try text.content(for: parameter?.type, by: limit?.deadline)
    } catch {
      if error.isLate, let limit { throw limit.failure }
      throw Failure(.usage, (parameter.map { error.naming($0) } ?? error).message)
    }
  }

  /// Returns the text of a callback; nil for null, if the parameter accepts null.
  static func callbackText(_ content: Argument.Content, for parameter: Parameter) -> String? {
    let text: String? =
      switch content {
      case .text(let text): text
      // Files end with a line break.
      case .contents(let bytes):
        String(validating: bytes, as: UTF8.self)?.split(whereSeparator: \.isNewline).joined(separator: " ")
      default: nil
      }
    if text == "null", parameter.fallback == .void { return nil }
    return text
  }

  /// Splits NAME=VALUE if NAME is a parameter's name. Refuses a NAME that could be one: letters, digits and `_`, or
  /// with a `-` if a parameter's name is near. Any other word is a value.
  static func split(_ word: String, for signature: Signature) throws(Failure) -> (name: String?, value: String) {
    guard let (name, value) = word.cut(at: "=") else { return (nil, word) }
    let names = signature.argumentNames
    if names.contains(name) { return (name, value) }
    guard Name.isValid(name), !name.contains("-") || !Suggestion.near(name, among: names).isEmpty else {
      return (nil, word)
    }
    throw unknown(name, for: signature)
  }

  private static func unknown(_ name: String, for signature: Signature) -> Failure {
    let hint = Suggestion.near(name, among: signature.argumentNames)
    return Failure(
      .usage,
      lines: [
        "plugin-host: \(signature.name) has no parameter \"\(name)\"\(hint)".displayLine,
        "plugin-host: usage: \(signature)", "plugin-host: before values with a \"=\" in them, write --",
      ])
  }

  /// Refuses a mistyped option among the words before `--`.
  ///
  /// - Parameter options: the options of the command, for a suggestion.
  static func refuseOptions(_ words: [String], among options: @autoclosure () -> [String]) throws(Failure) {
    for word in words.prefix(while: { $0 != "--" }) { try refuseOption(word, among: options()) }
  }

  /// Returns the message for an option that a command does not have.
  static func unknownOption(_ word: String, among options: [String]) -> String {
    let option = String(word.prefix { $0 != "=" })
    let hint = option.hasPrefix("--") ? Suggestion.near(option, among: options.filter { $0.hasPrefix("--") }) : ""
    return "unknown option \(word)\(hint); before arguments that begin with a dash, write --"
  }

  /// Refuses a word with a leading dash that is not a number: it is a mistyped option.
  private static func refuseOption(_ word: String, among options: @autoclosure () -> [String]) throws(Failure) {
    guard word.utf8.first == UInt8(ascii: "-"), word != "-", Double(word) == nil else { return }
    throw Failure(.usage, unknownOption(word, among: options()).displayLine)
  }
}

extension Signature {
  /// The names that arguments can have. That of a tail without a name is `...`.
  var argumentNames: [String] { inputs.map(\.name) + [tail?.parameter.name].compactMap { $0 } }
}
