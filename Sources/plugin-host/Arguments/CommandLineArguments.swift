import PluginRuntime

/// The words after PLUGIN FUNCTION on the command line, and which parameter each is for.
enum CommandLineArguments {
  /// For each parameter of `signature`, the text given for it; nil where its default is to be used.
  static func bind(_ words: [String], to signature: Signature) throws(Failure) -> [String?] {
    let names = signature.parameters.map(\.name)
    var texts = [String?](repeating: nil, count: names.count)
    var next = 0
    var hasNamed = false
    for word in try withoutTerminator(words) {
      if let (name, value) = named(word, among: names) {
        guard texts[name] == nil else { throw wrong("\(names[name]) is given more than once", signature) }
        texts[name] = value
        hasNamed = true
      } else if hasNamed {
        throw wrong("\"\(word)\" stands after an argument with a name, but has none itself", signature, near: word)
      } else if next == names.count {
        let limit = names.isEmpty ? "takes no arguments" : "takes at most \(names.count)"
        throw wrong("\"\(word)\" is too much: \(signature.name) \(limit)", signature, near: word)
      } else {
        texts[next] = word
        next += 1
      }
    }
    for (index, parameter) in signature.parameters.enumerated()
    where texts[index] == nil && parameter.defaultValue == nil {
      throw wrong("\(parameter.name) is missing", signature)
    }
    return texts
  }

  private static func wrong(_ message: String, _ signature: Signature, near word: String? = nil) -> Failure {
    // NAME=VALUE with a name that no parameter has was taken for a value; perhaps it was none.
    let name = word.flatMap { $0.contains("=") ? String($0.prefix { $0 != "=" }) : nil }
    let hint = name.map { Suggestion.near($0, among: signature.parameters.map(\.name)) } ?? ""
    return Failure(.usage, lines: ["plugin-host: \(message)\(hint)", "plugin-host: usage: \(signature)"])
  }

  private static func named(_ word: String, among names: [String]) -> (Int, String)? {
    guard let equals = word.firstIndex(of: "="), let name = names.firstIndex(of: String(word[..<equals])) else {
      return nil
    }
    return (name, String(word[equals...].dropFirst()))
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
