import ArgumentParser

/// The options of the commands that write a result.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Write a result that is text or bytes as it is, without JSON. Binary data is not written to a terminal.")
  var raw = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Write the result to a file; - is standard output, even if it is a terminal.", valueName: "file"))
  var output: String?

  var writer: ResultWriter { ResultWriter(isRaw: raw, path: output) }
}
