import ArgumentParser

/// The command that completions of shells call: `plugin-host complete -- WORD...`, the last word up to the cursor.
struct CompleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    abstract: "Print the words that can stand at the end of a command line, for a shell.", shouldDisplay: false)

  @ArgumentParser.Argument(parsing: .captureForPassthrough)
  var words: [String] = []

  func run() throws {
    let words = words.first == "--" ? Array(words.dropFirst()) : words
    // Shells take one candidate from each line, and a tab ends it.
    let candidates = CommandLineCompletion(words).candidates.filter {
      !$0.text.unicodeScalars.contains(where: \.isControl)
    }
    let lines = candidates.map { "\($0.text)\t\($0.note)\n" }
    try StandardOutput.write(lines.joined())
  }
}
