import ArgumentParser
import PluginRuntime

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
  /// message as one behind the plugin's name. Words that are near others that are known get a suggestion.
  private static func message(_ text: String, in words: [String]) -> String {
    let (command, rest) = PluginHost.command(of: words[...])
    let options = CommandOptions(of: command)
    if let option = text.firstMatch(of: /^Unknown option '([^']*)'/)?.output.1 {
      let known = options.all.flatMap(\.names) + ["--help", "--version"]
      return CommandLineArguments.unknownOption(String(option), among: known)
    }
    let second = text.dropFirst().first
    let sentence = second?.isLowercase == true ? text.prefix(1).lowercased() + text.dropFirst() : text
    let names = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    if let word = rest.first, !names.isEmpty, !word.hasPrefix("-") {
      return "there is no command \"\(word)\" of \(command._commandName)\(Suggestion.near(word, among: names))"
    }
    guard let value = text.firstMatch(of: /^The value '([^']*)' is invalid for '([^ ']*)/)?.output else {
      return sentence
    }
    // The values that completion offers, too.
    let known = options[String(value.2)]?.values ?? options.operands.flatMap(\.self)
    let hint = Suggestion.near(String(value.1), among: known)
    return hint.isEmpty ? sentence : sentence.dropLast(sentence.hasSuffix(".") ? 1 : 0) + hint
  }
}

extension PluginHost {
  /// Returns the command that the first words name, `cache prune` for example, and the words after them.
  static func command(of words: ArraySlice<String>) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>) {
    var command: any ParsableCommand.Type = PluginHost.self
    var rest = words
    while let next = command.configuration.subcommands.first(where: { $0._commandName == rest.first }) {
      command = next
      rest.removeFirst()
    }
    return (command, rest)
  }

  /// Whether a command line asks for JSON, judged by its words before it is parsed.
  static func asksForJSON(_ words: [String]) -> Bool {
    guard command(of: words[...]).command is any WritesJSON.Type else { return false }
    let options = Array(words.prefix { $0 != "--" })
    let asking: Set = ["--json", "--format=json", "--output=json", "-ojson", "-o=json"]
    if !asking.isDisjoint(with: options) { return true }
    return zip(options, options.dropFirst()).contains { ["--format", "--output", "-o"].contains($0) && $1 == "json" }
  }
}
