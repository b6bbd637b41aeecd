import ArgumentParser

/// A mistake found by the parser of the command line, reported in the form of all failures.
struct CommandLineMistake {
  /// The sentence, without a name before it.
  let message: String
  /// The usage of the command, and where its help is.
  private let usage: [String]

  /// Nil for the output of `--help` and `--version`, and for other errors.
  ///
  /// - Parameter words: the command line without the program's name.
  init?(_ error: any Error, in words: [String]) {
    guard PluginHost.exitCode(for: error) == .validationFailure else { return nil }
    message = Self.message(PluginHost.message(for: error), in: words)
    let lines = PluginHost.fullMessage(for: error).split(separator: "\n").map(String.init)
    usage = Array(lines.drop { !$0.hasPrefix("Usage: ") })
  }

  var failure: Failure {
    Failure(.usage, lines: ["plugin-host: " + message.displayLine] + (StructuredError.isOn ? [] : usage))
  }

  /// The parser's sentence, begun like those of other failures. An unknown option has the words that it has behind the
  /// plugin's name.
  private static func message(_ text: String, in words: [String]) -> String {
    if let option = text.firstMatch(of: /^Unknown option '([^']*)'/)?.output.1 {
      let command = PluginHost.command(named: words.first) ?? PluginHost.self
      let known = CommandOptions(of: command).all.flatMap(\.names) + ["--help", "--version"]
      return CommandLineArguments.unknownOption(String(option), among: known)
    }
    let second = text.dropFirst().first
    return second?.isLowercase == true ? text.prefix(1).lowercased() + text.dropFirst() : text
  }
}

extension PluginHost {
  /// The command of that name.
  static func command(named name: String?) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.configuration.commandName == name }
  }

  /// Whether a command line asks for JSON, before it is parsed: as far as the words can say that.
  static func asksForJSON(_ words: [String]) -> Bool {
    let first = command(named: words.first)
    let second = first?.configuration.subcommands.first { $0.configuration.commandName == words.dropFirst().first }
    guard (second ?? first) is any WritesJSON.Type else { return false }
    let options = Array(words.prefix { $0 != "--" })
    let asking: Set = ["--json", "--format=json", "--output=json", "-ojson", "-o=json"]
    if !asking.isDisjoint(with: options) { return true }
    return zip(options, options.dropFirst()).contains { ["--format", "--output", "-o"].contains($0) && $1 == "json" }
  }
}
