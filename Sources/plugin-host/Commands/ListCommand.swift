import ArgumentParser
import Glibc
import PluginRuntime

struct ListCommand: ParsableCommand, WritesJSON {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List plugins.",
    discussion: """
      Lists the plugins in files and folders; without any, those in the search path. A file that is not a plugin is an \
      error, and the others are listed all the same.

      \(ExitStatus.help)
      """)

  @OptionGroup var search: SearchOptions

  @Flag(help: "Print a JSON array on one line.")
  var json = false

  @ArgumentParser.Argument(help: ArgumentHelp("Plugins, or folders of plugins.", valueName: "path"))
  var paths: [String] = []

  func run() throws {
    var plugins: [PluginDescription] = []
    var problems: [Failure] = []
    for result in search.scanner.scan(try files()) {
      do throws(Failure) {
        plugins.append(try result.get())
      } catch {
        problems.append(error)
      }
    }
    let text = json ? JSON.array(plugins.map(\.json)).text + "\n" : PluginText.table(plugins)
    try StandardOutput.write(text)
    guard problems.isEmpty else {
      let status = problems.allSatisfy { $0.status == .timedOut } ? ExitStatus.timedOut : .notLoaded
      for problem in problems { StructuredError.write(problem) }
      throw Failure(status, lines: [])
    }
  }

  private func files() throws(Failure) -> [String] {
    if paths.isEmpty {
      let finder = search.finder
      guard !finder.directories.isEmpty else {
        throw Failure(.usage, "name a plugin or a folder, or give --plugins or PROMISE_PLUGIN_PATH")
      }
      return try finder.all()
    }
    var files: [String] = []
    for path in paths {
      if FileKind(path: path) == .directory {
        files += try PluginFinder.files(in: path)
      } else {
        files.append(path)
      }
    }
    return files
  }
}
