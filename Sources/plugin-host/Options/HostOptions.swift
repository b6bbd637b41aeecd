import ArgumentParser
import PluginRuntime

/// The options of every command that uses plugins.
struct SearchOptions: ParsableArguments {
  @Option(
    name: .customLong("plugins"),
    help: ArgumentHelp(
      "A folder to look for plugins in; may be given several times. The folders of PROMISE_PLUGIN_PATH come after them.",
      valueName: "dir"))
  var directories: [String] = []

  @Option(
    name: .customLong("plugin-timeout"), parsing: .unconditional,
    help: ArgumentHelp(
      "The time limit for loading a plugin, and for unloading it; without it, 30 seconds each.", valueName: "seconds"),
    transform: Seconds.init(option:))
  var timeout: Seconds?

  @Flag(
    name: .customLong("accept-unsafe-files"),
    help: "Use plugins that other users can change or exchange; also with \(FileTrust.variable)=1.")
  var acceptsUnsafeFiles = false

  @Option(help: "The plugins that may be loaded: any, listed or signed; stricter than trust.conf, or the same.")
  var trust: TrustLevel?

  func validate() throws {
    if directories.contains("") { throw ValidationError("--plugins \"\": expected the name of a folder") }
    if let mistake = trust.flatMap(Admission.tighten) { throw ValidationError("--trust: \(mistake)") }
  }

  var finder: PluginFinder { PluginFinder(given: directories, acceptsUnsafeFiles: acceptsUnsafeFiles) }

  var scanner: PluginScanner { PluginScanner(timeout: timeout, trust: finder.trust) }
}

/// A command that runs code of plugins in this process. The others read descriptions in child processes.
protocol RunsPlugins {
  var host: HostOptions { get }
}

/// The options of the commands that call plugins' functions.
struct HostOptions: ParsableArguments {
  @OptionGroup var search: SearchOptions

  @Option(
    name: .customLong("config"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A setting for a plugin; may be given several times.", valueName: "plugin:key=value"),
    transform: { text in
      guard let setting = PluginSetting(text) else { throw ValidationError("expected PLUGIN:KEY=VALUE") }
      return setting
    })
  var settings: [PluginSetting] = []

  @Option(
    help: ArgumentHelp(
      """
      Where plugins run: in-process, each on a thread of its own, or each in a worker process that has only the rights of \
      --allow. Without it, in-process if they are trusted (trust --help), otherwise in worker processes with your rights.
      """,
      valueName: "place"))
  var isolation: PluginIsolation?

  @Option(
    name: .customLong("allow"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A right of the plugins, which run in worker processes then; may be given several times: \(Capabilities.forms).",
      valueName: "capability"))
  var allowed: [String] = []

  @Option(
    name: .customLong("recursion-limit"), parsing: .unconditional,
    help: ArgumentHelp("The most calls that may be nested in each other; without it, 256.", valueName: "count"),
    transform: { try Int(option: $0, in: HostOptions.recursionLimits) })
  var recursionLimit = Host.Options().recursionLimit

  @Option(help: "The least important lines of the plugins' log to show.")
  var log = LogThreshold.warning

  @Option(
    name: .customLong("progress"),
    help: "How to show progress on standard error; auto draws on a terminal and writes lines elsewhere.")
  var progress = ProgressStyle.auto

  /// Options for workers that run this program. Their output is shown like that of plugins in this process.
  var workers: IsolationOptions {
    var options = IsolationOptions.runningThisProgram(timeout: search.timeout?.duration)
    options.output = { StandardError.write(lines: [$0.harmlessLine]) }
    options.capabilities = capabilities
    options.workerEnded = { path, copy, fault in
      do {
        if let path { try Quarantine.ofUser?.count(path: path, content: copy, fault: fault) }
      } catch {
        let line = "plugin-host: \(path ?? ""): the end of its worker process cannot be counted: \(error)"
        StandardError.write(lines: [line.displayLine])
      }
    }
    return options
  }

  /// The accepted limits of nested calls. More of them in this process could overflow a thread's stack.
  private static let recursionLimits = 1...1_000

  /// The capabilities of all workers. The texts have been checked.
  private var capabilities: Capabilities {
    var capabilities = Capabilities()
    for text in allowed { try? capabilities.allow(text) }
    WritableFolders.resolvePaths(of: &capabilities)
    return capabilities
  }

  func validate() throws {
    var capabilities = Capabilities()
    do throws(CapabilityMistake) {
      for text in allowed { try capabilities.allow(text) }
    } catch {
      throw ValidationError("--allow: \(error)")
    }
    if !allowed.isEmpty, let isolation, isolation != .process {
      throw ValidationError("--allow is for plugins in worker processes, not with --isolation \(isolation.rawValue)")
    }
  }

  /// Returns an empty plan with the places and the time limits of the options.
  func plan(_ finder: PluginFinder, scanner: PluginScanner? = nil) -> PluginPlan {
    PluginPlan(
      finder: finder, scanner: scanner, place: isolation ?? (allowed.isEmpty ? nil : .process), workers: workers)
  }
}

enum LogThreshold: String, CaseIterable, ExpressibleByArgument {
  case debug, info, warning, error, off
}
