import ArgumentParser
import Glibc
import PluginRuntime

struct QuarantineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "List or release plugins that are not loaded because their workers ended too often.",
    discussion: """
      A plugin whose worker processes end five times in a row without an answer, within an hour and in any commands, is \
      put in quarantine for a day, by the hash of its file. A damaged entry keeps its plugin there until it is released.

      \(ExitStatus.help)
      """,
    subcommands: [List.self, Release.self])

  struct List: ParsableCommand, WritesJSON {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the plugins in quarantine, the latest first.", discussion: ExitStatus.help)

    @Flag(help: "Print JSON on one line, with times in seconds since 1970, null in damaged entries.")
    var json = false

    func run() throws {
      let entries = try QuarantineCommand.entries(of: QuarantineCommand.store())
      if json {
        let objects = entries.map { entry in
          JSON.object([
            ("hash", .string(entry.hash.description)), ("path", .string(entry.path)),
            ("reason", .string(entry.reason)), ("begins", Self.seconds(entry.begins)),
            ("ends", Self.seconds(entry.ends)),
          ])
        }
        return try StandardOutput.write(JSON.array(objects).text + "\n")
      }
      let now = Int64(time(nil))
      let rows = entries.map { entry in
        PluginValue.object([
          PluginMember("hash", .string(String(entry.hash.description.prefix(12)))),
          PluginMember("ends in", .string(entry.ends.map { CacheCommand.age($0 - now) } ?? "never")),
          PluginMember("path", .string(entry.path)), PluginMember("reason", .string(entry.reason)),
        ])
      }
      try StandardOutput.write(ResultTable.text(.array(rows)))
    }

    private static func seconds(_ time: Int64?) -> JSON { time.map { .value(.int($0)) } ?? .null }
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
      let entries = try QuarantineCommand.entries(of: store)
      for plugin in all ? entries.map(\.hash.description) : plugins {
        let entry = try find(plugin, among: entries)
        do {
          try store.release(entry.hash)
        } catch {
          throw Failure(.rejected, "\(store.path(of: entry.hash)): \(error): remove it by hand".displayLine)
        }
        let path = entry.path.isEmpty ? "" : " \(entry.path)"
        try StandardOutput.write("released \(entry.hash.description.prefix(12))\(path)\n")
      }
    }

    private func find(_ plugin: String, among entries: [Quarantine.Entry]) throws(Failure) -> Quarantine.Entry {
      let isPath = plugin.isPath || FileKind(path: plugin) == .other
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

  private static func entries(of store: Quarantine) throws(Failure) -> [Quarantine.Entry] {
    do throws(SystemError) {
      return try store.entries()
    } catch {
      throw Failure(.rejected, store.problem(error).displayLine)
    }
  }
}
