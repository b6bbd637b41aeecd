import ArgumentParser
import Glibc
import PluginRuntime

struct TrustCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "List, add or remove trusted plugins and publishers.",
    discussion: """
      The rules are lines of plugin-host/trust.conf in XDG_CONFIG_HOME or ~/.config, and of /etc/plugin-host/trust.conf, \
      which no user can loosen:

        policy any|listed|signed
        untrusted in-process|process
        hash SHA-256 NAME
        key ED25519 NAME

      With "listed", plugins are loaded whose hash is listed, or that a listed publisher has signed; with "signed", the \
      latter alone. Such plugins run in this process. Others run in worker processes with the rights of the user; with \
      "untrusted process", in confined ones alone; with "untrusted in-process", in this process. The signature of PLUGIN \
      is PLUGIN.sig, as written by: openssl pkeyutl -sign -rawin -inkey KEY -in PLUGIN -out PLUGIN.sig

      \(ExitStatus.help)
      """,
    subcommands: [Add.self, List.self, Policy.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Trust plugins by the hashes of their files, or publishers by their keys.",
      discussion: ExitStatus.help)

    @Option(help: "A name for people; without it, that of the file.")
    var name: String?

    @ArgumentParser.Argument(
      help: "Plugins' files, or public keys of Ed25519 as written by: openssl pkey -pubout.")
    var files: [String]

    func run() throws {
      let path = try TrustCommand.path()
      for file in files {
        let line = try Self.line(for: file, name ?? Directory.name(of: file))
        try TrustCommand.changing { () throws(FileChangeError) in try TrustFile.add(line, to: path) }
        try StandardOutput.write("trusted \(line)\n")
      }
    }

    private static func line(for file: String, _ name: String) throws(Failure) -> String {
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try FileBytes.readRegular(path: file, limit: FileBytes.longest)
      } catch {
        throw Failure(.rejected, "\(file): \(error.fileProblem)".displayLine)
      }
      // The verifier would refuse libraries for other machines.
      if ELF.isSharedLibrary(bytes) { return "hash \(ContentHash(of: bytes)) \(name)" }
      if let key = PublicKey(text: String(decoding: bytes, as: UTF8.self)) { return "key \(key) \(name)" }
      throw Failure(.usage, "\(file): expected a shared library or an Ed25519 public key")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Print the rules, those of the system first.", discussion: ExitStatus.help)

    func run() throws {
      for path in [TrustFile.ofSystem, try TrustCommand.path()] where FileKind(path: path) != .missing {
        let file = try TrustFile(path: path)
        var lines = ["# \(path)", "policy \(file.policy.rawValue)"]
        if let place = file.untrusted { lines.append("untrusted \(place.rawValue)") }
        lines += file.hashes.map { "hash \($0.hash) \($0.name)" } + file.keys.map { "key \($0.key) \($0.name)" }
        try StandardOutput.write(lines.map { "\($0)\n" }.joined())
      }
    }
  }

  struct Policy: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "policy", abstract: "Set the plugins that may be loaded.", discussion: ExitStatus.help)

    @Option(
      help: ArgumentHelp("Where plugins run that are not trusted: in-process or process.", valueName: "place"),
      transform: {
        guard let place = PluginIsolation(rawValue: $0), place != .thread else {
          throw ValidationError("expected in-process or process")
        }
        return place
      })
    var untrusted: PluginIsolation?

    @ArgumentParser.Argument(help: "The plugins that may be loaded: any, listed or signed.")
    var level: TrustLevel

    func run() throws {
      let path = try TrustCommand.path()
      let added = ["policy \(level.rawValue)"] + (untrusted.map { ["untrusted \($0.rawValue)"] } ?? [])
      try TrustCommand.changing { () throws(FileChangeError) in
        // One change: between two, another process would find no policy.
        try TrustFile.remove(from: path, adding: added) {
          let word = $0.split(separator: " ").first
          return word == "policy" || untrusted != nil && word == "untrusted"
        }
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Trust plugins or publishers no longer.", discussion: ExitStatus.help)

    @ArgumentParser.Argument(help: "The beginnings of hashes or keys, at least 8 digits, or names.")
    var entries: [String]

    func run() throws {
      let path = try TrustCommand.path()
      for entry in entries {
        let count = try TrustCommand.changing { () throws(FileChangeError) in
          try TrustFile.remove(from: path) { Self.matches($0, entry) }
        }
        guard count > 0 else { throw Failure(.usage, "\(entry): no such hash, key or name in \(path)") }
        try StandardOutput.write("removed \(count) \(count == 1 ? "entry" : "entries") for \(entry)\n")
      }
    }

    private static func matches(_ line: String, _ entry: String) -> Bool {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count >= 2, words[0] == "hash" || words[0] == "key" else { return false }
      return words.count == 3 && words[2] == entry || entry.count >= 8 && words[1].hasPrefix(entry.lowercased())
    }
  }

  @discardableResult
  private static func changing<Result>(_ change: () throws(FileChangeError) -> Result) throws(Failure) -> Result {
    do throws(FileChangeError) {
      return try change()
    } catch {
      throw Failure(.rejected, "\(error)".displayLine)
    }
  }

  private static func path() throws(Failure) -> String {
    guard let path = TrustFile.ofUser else { throw Failure(.usage, TrustFile.none) }
    return path
  }
}
