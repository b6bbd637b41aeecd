import ArgumentParser
import Glibc
import PluginRuntime

struct CheckCommand: ParsableCommand, WritesJSON {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a plugin for faults; for its author.",
    discussion: """
      Loads and unloads the plugin, and calls each of its functions with random and boundary arguments, each check in a \
      process of its own. Looks for crashes and functions that do not return, results that are not of the declared type, \
      promises that are settled twice or dropped, callbacks that are called late, threads and descriptors \
      that are left behind, memory and promises that grow with each call, and the same after calls were discarded. \
      Compares the signatures with the debug information of C and C++, where the file has some.

      The functions are called for real: do not check a plugin that deletes or sends something, or name those functions \
      with --skip. The seed that is printed repeats a run.

      Exit status 1: there are findings.

      \(ExitStatus.help)
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  @OptionGroup var search: SearchOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The seed of a run that is to be repeated.", valueName: "number"),
    transform: { try UInt64(option: $0, in: 0...UInt64.max) })
  var seed: UInt64?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The calls of each function.", valueName: "number"),
    transform: { try Int(option: $0, in: 1...1_000_000) })
  var calls = 100

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The time for each call to return; without it, 10 seconds.", valueName: "seconds"),
    transform: Seconds.init(option:))
  var timeout: Seconds?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A function that is not called; may be given several times.", valueName: "function"))
  var skip: [String] = []

  @Option(help: "The format of the report.")
  var format = Format.text

  @Option(help: ArgumentHelp("Write the report to a file for tools that read JUnit's XML, too.", valueName: "file"))
  var junit: String?

  @ArgumentParser.Argument(help: "The plugin's path, with a slash in it, or its name or id in the search path.")
  var plugin: String

  var json: Bool { format == .json }

  func run() throws {
    var plan = PluginPlan(finder: search.finder, scanner: search.scanner)
    let plugin = try plan.add(plugin)
    guard !Admission.isolates(plugin.path) else {
      throw Failure(
        .notLoaded,
        "\(plugin.path): is not trusted, and a check runs it in processes that are not confined; see `plugin-host trust --help`"
          .displayLine)
    }
    // In the processes of the check, too: another file may be at the path by then.
    Admission.beginHosting()
    if let unknown = skip.first(where: { plugin.function(named: $0) == nil }) { throw plugin.unknownFunction(unknown) }
    let options = CheckOptions(
      seed: seed ?? .random(in: 0...0xFFFF_FFFF), calls: calls, timeout: timeout?.duration ?? .seconds(10))
    let results = try results(of: plugin, plan.plugins, options)
    let report = CheckReport(plugin: plugin, seed: options.seed, results: results)
    if let junit { try write(report.junit, to: junit) }
    try StandardOutput.write(json ? report.json.text + "\n" : report.page)
    if report.findings > 0 { throw Failure(.rejected, lines: []) }
  }

  /// Makes the checks, one after the other.
  private func results(
    of plugin: PluginDescription, _ plan: [PluginDescription], _ given: CheckOptions
  ) throws(Failure) -> [CheckResult] {
    var options = given
    // The descriptor was checked when the plan was made.
    var results = [CheckResult(name: "descriptor")]
    let types = DebugTypes(of: plugin.path, timeout: .seconds(60))
    for job in CheckJob.all(of: plugin, skipping: Set(skip), hasTypes: types.isWorthwhile) {
      if job.kind == .leaks, results.last?.findings.isEmpty == false {
        results.append(
          CheckResult(
            name: job.name, notes: ["leaks were not measured: its calls have findings"], isMade: false))
        continue
      }
      let result = try CheckProcess.run(job.name, timeout: options.timeout) { job.run(plan, options, types) }
      if job.kind == .load { options.unloads = result.findings.isEmpty }
      results.append(result)
    }
    return results
  }

  private func write(_ text: String, to path: String) throws(Failure) {
    do {
      try FileReplacement.write(Array(text.utf8), to: path)
    } catch {
      throw Failure(.rejected, "\(path): \(error)".displayLine)
    }
  }
}
