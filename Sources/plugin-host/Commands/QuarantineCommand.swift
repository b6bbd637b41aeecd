import ArgumentParser
import Glibc
import PluginRuntime

struct QuarantineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "List or release plugins that are not loaded because their workers ended too often.",
    discussion: """
      A plugin whose worker processes end five times in a row without an answer is put in quarantine for a day, by the \
      hash of its file.

      \(ExitStatus.help)
      """,
    subcommands: [List.self, Release.self])

  struct List: ParsableCommand, WritesJSON {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the plugins in quarantine, the latest first.", discussion: ExitStatus.help)

    @Flag(help: "Print JSON on one line, with times in seconds since 1970.")
    var json = false

    func run() throws {
      let entries = try QuarantineCommand.store().entries()
      if json {
        let objects = entries.map { entry in
          JSON.object([
            ("hash", .string(entry.hash.description)), ("path", .string(entry.path)),
            ("reason", .string(entry.reason)), ("begins", .value(.int(entry.begins))),
            ("ends", .value(.int(entry.ends))),
          ])
        }
        return try StandardOutput.write(JSON.array(objects).text + "\n")
      }
      let now = Int64(time(nil))
      let rows = entries.map { entry in
        PluginValue.object([
          PluginMember("hash", .string(String(entry.hash.description.prefix(12)))),
          PluginMember("ends in", .string(CacheCommand.age(entry.ends - now))),
          PluginMember("path", .string(entry.path)), PluginMember("reason", .string(entry.reason)),
        ])
      }
      try StandardOutput.write(ResultTable.text(.array(rows)))
    }
  }

  struct Release: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "release", abstract: "End the quarantine of plugins.", discussion: ExitStatus.help)

    @Flag(help: "Release all.")
    var all = false

    @ArgumentParser.Argument(help: "The beginning of a plugin's hash, at least 4 digits, or the path of its file.")
    var plugins: [String] = []

    func validate() throws {
      if all != plugins.isEmpty { throw ValidationError("expected plugins or --all") }
    }

    func run() throws {
      let store = try QuarantineCommand.store()
      let entries = store.entries()
      for plugin in all ? entries.map(\.hash.description) : plugins {
        let entry = try find(plugin, among: entries)
        do {
          try store.release(entry.hash)
        } catch {
          throw Failure(.rejected, "\(store.folder): \(error)".displayLine)
        }
        try StandardOutput.write("released \(entry.hash.description.prefix(12)) \(entry.path)\n")
      }
    }

    private func find(_ plugin: String, among entries: [Quarantine.Entry]) throws(Failure) -> Quarantine.Entry {
      let isPath = plugin.contains("/") || FileKind(path: plugin) == .other
      let hash = isPath ? try? ContentHash(path: plugin).description : nil
      let start = hash ?? plugin.lowercased()
      let matches = start.count >= 4 ? entries.filter { $0.hash.description.hasPrefix(start) } : []
      guard let entry = matches.first, matches.count == 1 else {
        let reason =
          matches.isEmpty
          ? "is not in quarantine; `plugin-host quarantine list` shows the plugins that are"
          : "is the beginning of \(matches.count) hashes; write more digits of one"
        throw Failure(.usage, "\(plugin) \(reason)")
      }
      return entry
    }
  }

  private static func store() throws(Failure) -> Quarantine {
    guard let store = Quarantine.ofUser else { throw Failure(.usage, Quarantine.none) }
    return store
  }
}
