import ArgumentParser
import PluginRuntime

struct RunCommand: ParsableCommand, WritesResults, RunsPlugins {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a pipeline: steps that call plugins' functions and use each other's results.",
    usage: "plugin-host run [OPTION]... PIPELINE.yaml [--set NAME=VALUE]...",
    discussion: """
      Steps run as soon as the results that they use are there, in parallel where they do not wait for each other. The \
      result of the pipeline is printed as one line of JSON when every step is fulfilled. The file is described in \
      plugin-host(1).

      \(ExitStatus.help)
      """)

  @OptionGroup var host: HostOptions

  @Option(
    name: .customLong("set"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A variable of the pipeline; may be given several times.", valueName: "name=value"),
    transform: VariableSetting.init(option:))
  var variables: [VariableSetting] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Give up after that time, and discard the steps that run.", valueName: "seconds"),
    transform: Seconds.init(option:))
  var timeout: Seconds?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The number of calls that may run at once; without it, all that can.", valueName: "number"),
    transform: { text in
      guard let number = Int(text), number > 0 else { throw ValidationError("expected a number greater than 0") }
      return number
    })
  var jobs: Int?

  @Flag(help: "Check the pipeline, print its plan, and run nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Write the steps as a graph instead of running them: dot for Graphviz, or svg if its program dot is installed.",
      valueName: "dot|svg"))
  var graph: GraphFormat?

  @Flag(help: "Load plugins in worker processes again whose files change during the run, for the calls that follow.")
  var watch = false

  @OptionGroup var cache: CacheOptions

  @Flag(help: "Run pure steps as others, and keep no result.")
  var noCache = false

  @Flag(
    help: """
      Keep every result until the pipeline is fulfilled, and do not repeat the steps that an earlier run with this option \
      has finished.
      """)
  var resume = false

  @OptionGroup var output: OutputOptions

  @ArgumentParser.Argument(
    help: ArgumentHelp("The file that describes the pipeline; - is standard input.", valueName: "pipeline"))
  var path: String

  func run() throws {
    try MainActor.assumeIsolated { try runPipeline() }
  }

  @MainActor
  private func runPipeline() throws {
    let checked: CheckedPipeline
    do {
      checked = try CheckedPipeline(
        path: path, given: variables, options: host, by: timeout.map { ContinuousClock.now + $0.duration })
    } catch let mistakes as FileMistakes {
      throw Failure(.usage, lines: mistakes.lines)
    }
    let writer = output.writer(within: timeout)
    if dryRun {
      return try writer.write(
        bytes: Array(Redaction.apply(checked.plan.lines.joined(separator: "\n") + "\n").utf8))
    }
    if let graph { return try writer.write(bytes: checked.plan.graph(graph, within: timeout)) }
    if watch, !checked.plugins.plugins.contains(where: { checked.plugins.place(of: $0) == .process }) {
      throw Failure(
        .usage, "--watch reloads plugins in worker processes, and none runs in one; add --isolation process")
    }
    try writer.checkDestination()
    let session = try Session(checked.plugins, options: host, settings: checked.plan.settings)
    let rows = checked.plan.steps.map { StepRow(name: $0.name, call: $0.call.label) }
    let board = ProgressBoard(rows: rows, display: host.progress.display(isTransient: false), loop: session.loop)
    session.show(on: board)
    if watch { try session.watchFiles(of: checked.plugins) }
    let cache = try store(for: checked, in: session, board)
    let run = PipelineRun(plan: checked.plan, session: session, board: board, jobs: jobs ?? .max, cache: cache)
    // Started in the loop, which handles signals: a signal that arrives while the first steps start must not end the
    // process before the steps of "finally" have run.
    session.loop.post { run.start() }
    if let timeout { session.loop.after(timeout.duration) { run.giveUp(.timedOut(seconds: timeout.value)) } }
    if let signal = session.loop.run(until: { run.isSettled }) {
      run.interrupt()
      // The steps of "finally" still run. A second signal of a kind ends the process at once.
      let second = checked.plan.hasFinalSteps ? session.loop.runEnding(until: { run.isSettled }) : nil
      board.finish()
      if let second { session.die(by: second) }
      session.end(by: signal)
    }
    board.finish()
    end(run, cache, in: session)
  }

  /// Opens the cache, if the pipeline can use it. Without a place for it, the pipeline runs without a cache.
  @MainActor
  private func store(
    for checked: CheckedPipeline, in session: Session, _ board: ProgressBoard
  ) throws(Failure) -> PipelineCache? {
    guard !noCache, resume || checked.plan.hasPureCalls else { return nil }
    let report: @Sendable (String) -> Void = { [loop = session.loop] line in loop.post { board.note(line) } }
    guard let path = cache.path else {
      report("plugin-host: warning: \(CacheOptions.none)")
      return nil
    }
    let settings = try (checked.plan.settings + host.settings).resolved(for: checked.plugins.plugins)
    let store: ResultStore
    do throws(Database.Failure) {
      store = try ResultStore(path: path)
    } catch {
      let hint = ResultStore.remedy(error, path: path)
      report("plugin-host: warning: the cache \(path): \(error); it is not used\(hint)".displayLine)
      return nil
    }
    if resume { try RunLock.take(checked.identity, cache: path) }
    let fingerprints = PluginFingerprints(
      plugins: checked.plugins.plugins, host: session.host, settings: settings, store: store)
    let cache = PipelineCache(
      store: store, fingerprints: fingerprints, run: resume ? checked.identity : nil, report: report)
    for call in checked.plan.calls where cache.keeps(call, isFinal: false) { cache.note(call.plugin) }
    return cache
  }

  func validate() throws {
    if noCache, resume { throw ValidationError("--resume needs the cache; leave out --no-cache") }
    if dryRun, graph != nil { throw ValidationError("--dry-run or --graph, not both") }
  }

  @MainActor
  private func end(_ run: PipelineRun, _ cache: PipelineCache?, in session: Session) -> Never {
    do {
      switch run.conclusion {
      case .success(let value):
        try session.endingBySignals { () throws(Failure) in
          try output.writer(within: timeout).write(value, of: run.plan.result.shape)
        }
        // Not before: a run whose result was not written is resumed, too.
        cache?.finish()
        session.end(.fulfilled)
      case .failure(let failure):
        for failure in failure.failures { StructuredError.write(failure) }
        session.end(failure.status, deadline: .seconds(1))
      }
    } catch {
      StructuredError.write(error)
      session.end(error.status)
    }
  }
}

extension GraphFormat: ExpressibleByArgument {}
