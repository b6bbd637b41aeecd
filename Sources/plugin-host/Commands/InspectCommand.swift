import ArgumentParser
import PluginRuntime

struct InspectCommand: ParsableCommand, WritesJSON {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show the functions of a plugin, with their parameters and C prototypes.",
    discussion: ExitStatus.help)

  @OptionGroup var search: SearchOptions

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  @Flag(help: "Show the file as it is verified before it is loaded. None of its code runs.")
  var elf = false

  @ArgumentParser.Argument(help: "The plugin's path, with a slash in it, or its name or id in the search path.")
  var plugin: String

  func run() throws {
    if elf { return try inspectFile() }
    let plugin = try search.scanner.description(of: search.finder.path(of: plugin))
    try StandardOutput.write(json ? plugin.json.text + "\n" : PluginText.page(plugin))
  }

  private func inspectFile() throws {
    do {
      let facts = try LibraryFacts(of: search.finder.path(of: plugin))
      let files = try LibraryFacts.closure(of: facts.path).map(HashedFile.init)
      try StandardOutput.write(json ? facts.json(files).text + "\n" : facts.page(files))
    } catch let error as PluginError {
      throw Failure(.notLoaded, "\(error)".displayLine)
    }
  }
}
