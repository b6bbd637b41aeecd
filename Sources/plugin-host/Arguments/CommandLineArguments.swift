import PluginRuntime

/// The words after PLUGIN FUNCTION on the command line: `VALUE`, or `NAME=VALUE` with a parameter's name.
enum CommandLineArguments {
  /// The arguments that the words are for a function. Files and standard input are read.
  static func arguments(_ words: [String], for signature: Signature) throws(Failure) -> [Argument] {
    let names = signature.argumentNames
    let texts = try withoutTerminator(words).map { word in
      let (name, value) = split(word, names: names)
      return (name: name, text: ArgumentText(value))
    }
    guard texts.count(where: { $0.text == .standardInput }) < 2 else {
      throw Failure(.usage, "standard input can be read once, but two arguments are -")
    }
    var arguments: [Argument] = []
    for (name, text) in texts {
      do {
        arguments.append(Argument(name: name, try text.content()))
      } catch {
        throw Failure(.usage, error.message)
      }
    }
    return arguments
  }

  /// What NAME=VALUE may have been meant to be where the words do not suit the signature: `; did you mean "level"?`.
  static func hint(_ words: [String], for signature: Signature) -> String {
    let names = signature.argumentNames
    let unknown = words.filter { $0.contains("=") && split($0, names: names).name == nil }
    let hints = unknown.map { Suggestion.near(String($0.prefix { $0 != "=" }), among: names) }
    return hints.first { !$0.isEmpty } ?? ""
  }

  private static func split(_ word: String, names: [String]) -> (name: String?, value: String) {
    guard let equals = word.firstIndex(of: "="), names.contains(String(word[..<equals])) else { return (nil, word) }
    return (String(word[..<equals]), String(word[equals...].dropFirst()))
  }

  /// Takes `--` away. Before it, a word with a leading dash that is no number is a mistyped option.
  private static func withoutTerminator(_ words: [String]) throws(Failure) -> [String] {
    var kept: [String] = []
    for (index, word) in words.enumerated() {
      if word == "--" { return kept + words[(index + 1)...] }
      if word.hasPrefix("-"), word != "-", Double(word) == nil {
        throw Failure(.usage, "unknown option \(word); before arguments that begin with a dash, write --")
      }
      kept.append(word)
    }
    return kept
  }
}

extension Signature {
  /// By which arguments can be given.
  fileprivate var argumentNames: [String] { inputs.map(\.name) + [tail?.name].compactMap { $0 } }
}
