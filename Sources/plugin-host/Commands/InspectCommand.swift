import ArgumentParser
import PluginRuntime

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what a plugin offers: its functions, their parameters and C prototypes.",
    discussion: ExitStatus.help)

  @OptionGroup var search: SearchOptions

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  @ArgumentParser.Argument(help: "The plugin's path, with a slash in it, or its name or id in the search path.")
  var plugin: String

  func run() throws {
    let plugin = try PluginPlan.inspect(search.finder.path(of: plugin))
    try StandardOutput.write(json ? plugin.json.text + "\n" : PluginText.page(plugin))
  }
}
