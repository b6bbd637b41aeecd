import ArgumentParser
import CLateRuntime
import CPluginEdge
import Glibc
import PluginRuntime
import Synchronization

@main
struct PluginHost: ParsableCommand {
  /// The configuration. While the command line is parsed, it names a parent of the root: otherwise the parser searches
  /// each command line for --generate-completion-script. That takes a quarter of the start (2.3 of 8.9 million
  /// instructions), and completions/ has better scripts.
  static var configuration: CommandConfiguration {
    var configuration = described
    if isParsing.load(ordering: .relaxed) { configuration._superCommandName = "" }
    return configuration
  }
  private static let isParsing = Atomic(false)
  private static let version = "1.0.0"

  private static let described = CommandConfiguration(
    commandName: "plugin-host",
    abstract: "Calls functions of plugins, shared libraries that describe themselves, and runs pipelines of them.",
    discussion: """
      A plugin is named by its path, with a slash in it, or by its name or id: digest is digest.so in a folder given with \
      --plugins or in one of PROMISE_PLUGIN_PATH, whose folders are separated by colons.

      \(ExitStatus.help)
      """,
    version: version,
    subcommands: [
      ListCommand.self, InspectCommand.self, CallCommand.self, RunCommand.self, ShellCommand.self, DocCommand.self,
      AdoptCommand.self, NewCommand.self, CheckCommand.self, CacheCommand.self, CompleteCommand.self,
      CheckFunctionCommand.self, QuarantineCommand.self, TrustCommand.self,
    ])

  static func main() {
    if asksForVersionAlone { writeVersion() }
    plugin_process_explain_memory_limit("plugin-host")
    if isWorker { runWorker() }
    StandardStreams.openClosed()
    SignalAction.catchWriteSignals()
    ProcessStart.note()
    TerminationSignals.record()
    let words = Array(RawText.commandLine.dropFirst())
    do {
      // A guess until the command line is parsed.
      StructuredError.isOn = asksForJSON(words)
      try Admission.begin()
      if let help = FunctionHelp(words) {
        try reserveOutput()
        try help.write()
        end(.fulfilled)
      }
      try refuseUnknownCommand(words)
      var command = try parse(words)
      StructuredError.isOn = (command as? any WritesJSON)?.json ?? false
      try reserveOutput()
      if let command = command as? any RunsPlugins {
        Admission.beginHosting()
        protect(timeout: command.host.search.timeout)
        PluginOutput.begin { lines in StandardError.write(lines: lines.map(\.harmlessLine)) }
      }
      try command.run()
      end(.fulfilled)
    } catch let failure as Failure {
      PluginOutput.end()
      StructuredError.write(failure)
      end(failure.status)
    } catch {
      end(after: error, in: words)
    }
  }

  /// Whether the command line is `--version`. Read as C does, because arrays of strings need the runtime's metadata.
  private static var asksForVersionAlone: Bool {
    plugin_process_word_count() == 2 && plugin_process_word(1).map { strcmp($0, "--version") == 0 } ?? false
  }

  /// Writes the version before anything else is initialized: the parser and the metadata of all the commands take most
  /// of the start.
  private static func writeVersion() -> Never {
    StandardStreams.openClosed()
    SignalAction.catchWriteSignals()
    do throws(Failure) {
      try StandardOutput.write(version + "\n")
      end(.fulfilled)
    } catch {
      StructuredError.write(error)
      end(error.status)
    }
  }

  private static func parse(_ words: [String]) throws -> any ParsableCommand {
    isParsing.store(true, ordering: .relaxed)
    // Help that is written later must show the root's name alone.
    defer { isParsing.store(false, ordering: .relaxed) }
    return try parseAsRoot(words)
  }

  /// Ends the process after wrong usage, or after --help or --version, whose text is the result.
  private static func end(after error: any Error, in words: [String]) -> Never {
    do throws(Failure) {
      if let mistake = CommandLineMistake(error, in: words) { throw mistake.failure }
      let status = exitCode(for: error)
      ProcessGuard.ending(status.rawValue)
      PluginOutput.end()
      guard status == .success else { exit(withError: error) }
      // Written here, because exit(withError:) ignores errors of writing.
      try StandardOutput.write(fullMessage(for: error) + "\n")
      end(.fulfilled)
    } catch {
      StructuredError.write(error)
      end(error.status)
    }
  }

  /// Rejects a first word that is neither an option nor a command. Rejects an option of the parser, too, for which it
  /// would need Foundation (CWithoutFoundation).
  private static func refuseUnknownCommand(_ words: [String]) throws(Failure) {
    let dump = "--experimental-dump-help"
    if words.prefix(while: { $0 != "--" }).contains(dump) {
      throw Failure(.usage, "there is no option \(dump); plugin-host --help lists the commands")
    }
    let word = words.first
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard let word, word.utf8.first != UInt8(ascii: "-"), !names.contains(word) else { return }
    throw Failure(
      .usage,
      "there is no command \"\(word)\"\(Suggestion.near(word, among: names)); plugin-host --help lists the commands"
        .displayLine)
  }

  /// Whether this process was started as a worker: by an argument, or by the name of the installed helper.
  private static var isWorker: Bool {
    let words = RawText.commandLine
    return words.dropFirst().first == WorkerProgram.workerArgument
      || words.first?.split(separator: "/").last == Substring(WorkerProgram.helper)
  }

  /// Runs a worker, under the rules of its host, which are read before it confines itself.
  private static func runWorker() -> Never {
    do {
      try Admission.beginWorker(RawText.commandLine)
    } catch {
      StandardError.write(lines: error.lines)
      ProcessGuard.ending(error.status.rawValue)
      _exit(error.status.rawValue)
    }
    late_runtime_load()
    PluginWorker.run()
  }

  private static func end(_ status: ExitStatus) -> Never {
    PluginOutput.end()
    ProcessGuard.exit(status.rawValue)
  }

  /// Starts to report plugin code that ends the process.
  private static func protect(timeout: Seconds?) {
    ProcessGuard.install(
      program: "plugin-host",
      statuses: .init(
        call: ExitStatus.rejected.rawValue, load: ExitStatus.notLoaded.rawValue, timeout: ExitStatus.timedOut.rawValue),
      timeout: timeout?.duration ?? .seconds(30), inJSON: StructuredError.isOn)
  }

  private static func reserveOutput() throws(Failure) {
    do {
      try StandardStreams.reserveOutput()
    } catch {
      throw Failure(.rejected, "standard output: \(error)")
    }
  }
}
