import ArgumentParser
import Glibc

@main
struct PluginHost: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin-host",
    abstract: "Calls functions of plugins, shared libraries that describe themselves, and runs pipelines of them.",
    discussion: """
      A plugin is named by its path, with a slash in it, or by its name or id: digest is digest.so in a folder given with \
      --plugins or in one of PROMISE_PLUGIN_PATH, whose folders are separated by colons.

      \(ExitStatus.help)
      """,
    version: "1.0.0",
    subcommands: [
      ListCommand.self, InspectCommand.self, CallCommand.self, RunCommand.self, DocCommand.self,
      AdoptCommand.self,
    ])

  static func main() {
    StandardStreams.occupy()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      StandardError.write(lines: failure.lines)
      Glibc.exit(failure.status.rawValue)
    } catch {
      // Wrong usage, and what --help and --version print.
      exit(withError: error)
    }
  }
}
