import ArgumentParser
import PluginRuntime

struct DocCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doc",
    abstract: "Write a reference page of a plugin in Markdown.",
    discussion: ExitStatus.help)

  @OptionGroup var search: SearchOptions

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write the page to a file instead of to standard output.", valueName: "file"))
  var output: String?

  @ArgumentParser.Argument(help: "The plugin's path, with a slash in it, or its name or id in the search path.")
  var plugin: String

  func run() throws {
    let plugin = try search.scanner.description(of: search.finder.path(of: plugin))
    try ResultWriter(format: .raw, path: output).write(.string(PluginReference.page(plugin)))
  }
}
