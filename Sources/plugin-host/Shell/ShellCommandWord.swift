import PluginRuntime

/// The commands of a session.
enum ShellCommandWord: String, CaseIterable {
  case use, help, plugins, variables, drop, exit, quit

  static let overview = """
    PLUGIN.FUNCTION VALUE | NAME=VALUE ...   call a function, and print its result
    NAME = PLUGIN.FUNCTION ...               call a function, and keep its result
    $NAME, $NAME.part[0]                     show a variable or a part of it; as an argument, pass it

    use PLUGIN [as NAME]    load a plugin, by its path or name, and give it another name here
    help [PLUGIN[.FUNCTION]]
    plugins                 list the plugins that are loaded
    variables               list the variables
    drop NAME...            forget variables; what nobody else has is destroyed
    exit                    end the session, as the end of the input does

    """
}

extension ShellSession {
  /// Runs a command.
  func run(_ command: ShellCommandWord, _ words: [String]) throws(Failure) -> Next {
    switch command {
    case .exit, .quit:
      try expect(words.isEmpty, "\(command.rawValue) takes no arguments")
      return .end
    case .use:
      try expect(words.count == 1 || words.count == 3 && words[1] == "as", "usage: use PLUGIN [as NAME]")
      if words.count == 3 {
        try expect(Name.isValid(words[2]), "\"\(words[2])\" cannot be a plugin's name: \(Name.rule)".displayLine)
      }
      try refuseAlias(words[0])
      let plugin = try plugin(words[0])
      if words.count == 3 { try alias(words[2], plugin) }
    case .help: try StandardOutput.write(try help(words))
    case .plugins:
      try expect(words.isEmpty, "plugins takes no arguments")
      try StandardOutput.write(plan.plugins.map { "\($0.id)\n" }.joined())
    case .variables:
      try expect(words.isEmpty, "variables takes no arguments")
      let lines = variables.names.map { "\($0) = \(variables[$0]?.summary ?? "")\n" }
      try StandardOutput.write(lines.joined())
    case .drop:
      try expect(!words.isEmpty, "usage: drop NAME...")
      for word in words {
        try expect(variables[word] != nil, "there is no variable \"\(word)\"".displayLine)
        drop(word)
      }
    }
    return .line
  }

  private func expect(_ isSo: Bool, _ message: String) throws(Failure) {
    if !isSo { throw Failure(.usage, message) }
  }

  private func help(_ words: [String]) throws(Failure) -> String {
    guard let word = words.first else { return ShellCommandWord.overview }
    try expect(words.count == 1, "usage: help [PLUGIN[.FUNCTION]]")
    // The last dot, because ids have dots, too: org.example.digest.
    if let dot = word.lastIndex(of: "."), let plugin = try? plugin(String(word[..<dot])) {
      let name = String(word[dot...].dropFirst())
      guard let function = plugin.function(named: name) else { throw plugin.unknownFunction(name) }
      return FunctionText.text(of: function, in: plugin)
    }
    return try plugin(word).functions.map { "\($0.signature)\n" }.joined()
  }
}
