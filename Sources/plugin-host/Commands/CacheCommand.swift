import ArgumentParser
import Glibc
import PluginRuntime

struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "List or remove the kept results of pure steps.",
    discussion: ExitStatus.help,
    subcommands: [List.self, Prune.self])

  struct List: ParsableCommand, WritesJSON {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the kept results, the latest first.", discussion: ExitStatus.help)

    @OptionGroup var cache: CacheOptions

    @Flag(help: "Print JSON on one line, with times in seconds since 1970.")
    var json = false

    func run() throws {
      let entries = try CacheCommand.trying(cache) { try $0?.entries() ?? [] }
      if json {
        let objects = entries.map { entry in
          JSON.object([
            ("key", .string(Digest(bytes: entry.key)?.hexadecimal ?? "")), ("function", .string(entry.function)),
            ("step", .string(entry.step)), ("created", .value(.int(entry.created))), ("size", .value(.int(entry.size))),
          ])
        }
        return try StandardOutput.write(JSON.array(objects).text + "\n")
      }
      let now = Int64(time(nil))
      let rows = entries.map { entry in
        PluginValue.object([
          PluginMember("age", .string(CacheCommand.age(now - entry.created))), PluginMember("size", .int(entry.size)),
          PluginMember("function", .string(entry.function)), PluginMember("step", .string(entry.step)),
        ])
      }
      try StandardOutput.write(ResultTable.text(.array(rows)))
    }
  }

  struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prune", abstract: "Remove results that are old or damaged.", discussion: ExitStatus.help)

    @OptionGroup var cache: CacheOptions

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Remove results that are older than that; without it, 30d.", valueName: "time"),
      transform: Seconds.init(option:))
    var olderThan: Seconds?

    @Flag(help: "Remove all results, and the file itself, also if it is damaged. Nothing may be using it.")
    var all = false

    func validate() throws {
      if all, olderThan != nil { throw ValidationError("--all or --older-than, not both") }
    }

    func run() throws {
      if all { return try removeFile() }
      let limit = Int64(time(nil)) - Int64(olderThan?.value ?? 30 * 86_400)
      let removed = try CacheCommand.trying(cache) { try $0?.prune(createdBefore: limit) ?? 0 }
      try StandardOutput.write("removed \(removed) result\(removed == 1 ? "" : "s")\n")
    }

    private func removeFile() throws(Failure) {
      guard let path = cache.path else { throw Failure(.usage, CacheOptions.none) }
      // A file that the user named may be something else. The file in plugin-host's own folder is a cache, however
      // damaged.
      guard cache.file == nil || ResultStore.isStore(path: path) else {
        throw Failure(
          .rejected,
          "\(path): is not recognised as results of plugin-host, and is not removed: if it is a cache whose beginning is "
            + "damaged, remove it by hand")
      }
      guard FileKind(path: path) != .missing else { return try StandardOutput.write("\(path) does not exist\n") }
      for suffix in ["", "-wal", "-shm", RunLock.suffix] {
        guard unlink(RawText.cString(path + suffix)) == 0 || errno == ENOENT else {
          throw Failure(.rejected, "\(path + suffix): \(SystemError.last)".displayLine)
        }
      }
      try StandardOutput.write("removed \(path)\n")
    }
  }

  /// Runs `body` with the store; without one if its file does not exist. The folder of a file that the user named has
  /// to exist.
  private static func trying<T>(_ cache: CacheOptions, _ body: (ResultStore?) throws -> T) throws(Failure) -> T {
    guard let path = cache.path else { throw Failure(.usage, CacheOptions.none) }
    let kind = FileKind(path: path)
    if kind == .missing, cache.file != nil, FileKind(path: Directory.parent(of: path)) != .directory {
      throw Failure(.rejected, "the cache \(path): its folder does not exist".displayLine)
    }
    do {
      return try body(kind == .missing ? nil : try ResultStore(path: path))
    } catch let error as Database.Failure {
      throw Failure(.rejected, "the cache \(path): \(error)\(ResultStore.remedy(error, path: path))")
    } catch {
      throw Failure(.rejected, "the cache \(path): \(error)".displayLine)
    }
  }

  /// Returns a duration for display: `5 s`, `3 min`, `2 h`, `40 d`.
  static func age(_ seconds: Int64) -> String {
    switch max(seconds, 0) {
    case ..<60: "\(max(seconds, 0)) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}
