import ArgumentParser

/// A mistake found by the parser of the command line, reported in the form of all failures.
struct CommandLineMistake {
  /// The sentence, without the program's name before it.
  let message: String
  /// The lines about the usage of the command, and about its help.
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

  /// Returns the parser's sentence, with a lowercase beginning as other failures have. An unknown option gets the same
  /// message as one behind the plugin's name.
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
  /// Returns the command of that name.
  static func command(named name: String?) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.configuration.commandName == name }
  }

  /// Whether a command line asks for JSON, judged by its words before it is parsed.
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
