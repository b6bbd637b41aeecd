import CPluginEdge
import Glibc
import Promises
import Synchronization

/// Starts the worker processes of one plugin, one after the other, and serves them: reads their frames, kills those
/// that exceed a time limit or break the protocol, and reaps them. One thread does all this and lives as long as the
/// plugin is loaded, because a process ends with the thread that started it.
final class WorkerServer {
  /// The progress of one process.
  ///
  ///     greeting --ready--> opening --opened--> loading --loaded--> running --> unloading --unloaded--> exiting
  enum Stage { case greeting, opening, loading, running, unloading, exiting }

  let link: WorkerLink
  /// The settings with which the worker was started; once it has passed the gate, those of the plugin that is loaded.
  @exclusivity(unchecked) private(set) var settings: WorkerSettings
  /// Receives the first outcome: the description, or the reason why the plugin is not loaded.
  private let started: (Result<PluginDescription, PluginError>) -> Void
  private var isLoaded = false

  // Only the thread that serves the plugin uses these. Fields that each call uses have no check of exclusive access.
  @exclusivity(unchecked) var process = plugin_process_t()
  @exclusivity(unchecked) var stage = Stage.greeting
  var generation = 0
  /// The number of the process in its handles.
  private var worker: UInt32 = 0
  /// The time at which the worker was asked to map, load or unload the plugin.
  var stageBegan = ContinuousClock.now
  /// The time at which the worker must have left its stage.
  var stageEnd: ContinuousClock.Instant?
  @exclusivity(unchecked) var reader = FrameReader()
  @exclusivity(unchecked) var handles: HandleLeases?
  @exclusivity(unchecked) var confinement: ConfinementWatch?
  var output: WorkerOutput
  /// The reason for which the worker was killed.
  @exclusivity(unchecked) var fault: String?
  /// Whether that reason is the time limit of a stage.
  var isLate = false
  /// Whether that reason is a decision of the host or of a caller, and not a fault of the plugin.
  var isDecision = false
  /// The reason for which it is killed if it has not ended by `stageEnd`; `nil`: that of the stage.
  var expectation: String?
  /// The times of the last `ping`, and of the first without an answer.
  var lastPing: ContinuousClock.Instant?
  var pinged: ContinuousClock.Instant?
  /// The time at which the worker last had calls.
  @exclusivity(unchecked) var lastBusy = ContinuousClock.now
  @exclusivity(unchecked) var incoming = IncomingBytes(receiver: "the host")
  /// The refusal of the worker, or of the host, to load the plugin.
  var refusal: PluginError?
  /// Whether the program's rules admit the plugin's files. From then on, code of the plugin may write frames.
  var isAdmitted = false
  private(set) var description: PluginDescription?
  /// The refusals before load(), of initialisers and of the entry. The worker calls the entry twice, so they recur.
  var refusedBeforeLoad: Set<CapabilityRefusal> = []
  @exclusivity(unchecked) private var hasAnswered = false
  /// The processor time that the last worker took, in whole seconds.
  private var processorTime = Duration.zero
  /// The numbers of workers that ended in a row without an answer: of those that had begun to map the plugin, and of
  /// all.
  private var (failures, restarts) = (0, 0)

  init(
    _ link: WorkerLink, _ settings: WorkerSettings,
    started: @escaping (Result<PluginDescription, PluginError>) -> Void
  ) {
    self.link = link
    self.settings = settings
    output = WorkerOutput(longest: settings.options.longestLine)
    self.started = started
  }

  /// Serves until the link is closed, or the first worker does not load the plugin.
  func run() {
    repeat {
      let end = serveWorker()
      guard isLoaded else { break }
      // Counts only workers that ended after they had begun to map the plugin, and may map it.
      let counts = stage != .greeting && refusal?.isAdmission != true
      if counts { failures = hasAnswered ? 0 : failures + 1 }
      restarts = hasAnswered ? 0 : restarts + 1
      if let end {
        if counts { failures = breakCircuit(after: end, failures: failures) }
        waitBeforeRestart()
      }
    } while waitForCalls()
    reject(link.close(), with: { closed($0.function) })
  }

  /// Runs one process from its start to its end. Returns its end, or `nil` if it unloaded the plugin as asked.
  private func serveWorker() -> WorkerEnd? {
    (generation, worker) = (settings.generations.next(), WorkerSettings.newWorker())
    (stage, fault, expectation, refusal, hasAnswered) = (.greeting, nil, nil, nil, false)
    (isLate, isDecision, isAdmitted) = (false, false, false)
    (lastPing, pinged) = (nil, nil)
    let handles = HandleLeases(worker: worker) { [link] in link.wake() }
    self.handles = handles
    reader = FrameReader(handles: handles, limit: settings.options.limits.resultBytes)
    output = WorkerOutput(longest: settings.options.longestLine)
    var cause: WorkerEnd.Cause
    if let error = start() {
      let limit = error == EAGAIN ? ": \(SystemLimit.tasks)" : ""
      cause = .notStarted(SystemLimit.text(error) + limit)
    } else {
      serve()
      cause = finish()
      if fault == nil, cause == .exited(status: Int32(PLUGIN_PROCESS_LOST)) { fault = "it closed its socket" }
    }
    handles.end()
    let wasRunning = stage == .running || stage == .unloading || stage == .exiting
    let end = WorkerEnd(
      cause: cause, fault: fault, isLate: isLate, version: description?.version, generation: generation, pending: .zero,
      output: output.lines, refusals: refusals(cause))
    // The plugin has unloaded. If the status is unknown, other code of this program has reaped the process.
    let isExpected = stage == .exiting && (cause == .exited(status: 0) || cause == .unknown)
    // Before the calls are rejected: the program may end then.
    if !isExpected || hasAnswered { reportEnd(end) }
    let calls = link.end(keepingUnsent: wasRunning)
    let error = refusal ?? PluginError(.workerEnded(end), settings.source.name, end.report)
    guard isLoaded else {
      started(.failure(error))
      return end
    }
    rejectCrashed(calls, end)
    // Rejections of fetches, and of calls whose results were kept, do not report the end. Neither do those of calls
    // that were given up before, unless the worker was killed because of them.
    let isReported = stage == .running && calls.contains { $0.demand != nil && ($0.killTime == nil || isDecision) }
    WorkerLink.deliveries.release(all: consume calls)
    if isExpected { return nil }
    if isReported { return end }
    if wasRunning, let unloadFailed = settings.options.unloadFailed {
      unloadFailed(PluginError(.workerEnded(end), settings.id(description), end.report))
    } else {
      settings.host.log(.error, settings.id(description), end.report)
    }
    return end
  }

  /// Reports a worker that has answered a call, or has ended by a fault of the plugin.
  private func reportEnd(_ end: WorkerEnd) {
    // Without a fault, the signal is that of a system without memory, or of another process.
    let isStrayed = fault == nil && end.cause == .killed(signal: SIGKILL) && end.refusals.isEmpty
    guard hasAnswered || stage != .greeting && refusal == nil && !isDecision && !isStrayed else { return }
    // An adopted library of the system: all adoptions use it, and the description of this one may be wrong.
    if case .adoption = settings.source, settings.file == nil { return }
    settings.options.workerEnded(
      settings.source.path, settings.file?.descriptor, hasAnswered ? nil : end.sentence)
  }

  /// Opens the link when a worker has loaded the plugin. The first worker also reports the description.
  func loaded() {
    stage = .running
    stageEnd = nil
    link.open()
    guard let description, !isLoaded else { return }
    isLoaded = true
    started(.success(description))
  }

  /// Checks the description of the plugin that the worker has mapped. Returns false, with `refusal` set, if the plugin
  /// may not be loaded.
  func opened(_ description: PluginDescription) -> Bool {
    var description = description
    // The worker was sent the resolved one.
    description.adoption = settings.requestedSource.adoption
    do throws(PluginError) {
      if let known = self.description {
        guard known == description else {
          throw PluginError(
            .replaced, settings.source.name, "is another file than the one that was loaded: its description has changed"
          )
        }
      } else {
        if let gate = settings.gate {
          guard let loading = gate.pass(description) else {
            throw PluginError(.closed, settings.source.name, "is only looked at")
          }
          settings = loading
          // An answer may have come while this thread did not read.
          pinged = nil
        }
        try settings.check(description)
      }
      self.description = description
      return true
    } catch {
      refusal = error
      return false
    }
  }

  func answered() { hasAnswered = true }

  private func start() -> Int32? {
    var words = ([settings.options.program.path] + settings.options.program.arguments).map { strdup($0) } + [nil]
    let capabilities = settings.options.capabilities
    var names = capabilities.environment.map { strdup($0) } + [nil]
    defer { (words + names).forEach { free($0) } }
    process = plugin_process_t()
    let (path, input) = (settings.options.program.path, settings.options.inheritsInput)
    let error =
      capabilities.isUnrestricted
      ? plugin_process_start(path, &words, nil, input, &process)
      : plugin_process_start(path, &words, &names, input, &process)
    guard error == 0 else { return error }
    link.sender.withLock { $0.open(process.socket, generation) }
    link.state.withLock { state in
      state.generation = generation
      state.worker = worker
      state.questions = 0
      state.killReason = nil
    }
    let plan = ConfinementPlan(capabilities, settings.source, settings.options.program)
    let confinement = ConfinementWatch(plan, process, settings.file)
    self.confinement = confinement
    stageEnd = .now + settings.options.startTimeout
    let greeting = PluginValue.array([
      PluginWorker.greeting, .uint(UInt64(worker)),
      .uint(UInt64(max(0, settings.host.recursionLimit))),
    ])
    link.send(Frame(.hello, 0, greeting))
    if confinement.error != 0 { kill("the host cannot send its rules: \(SystemLimit.text(confinement.error))") }
    return nil
  }

  /// Kills the processes that the worker leaves in its process group, reaps it, and closes its descriptors.
  private func finish() -> WorkerEnd.Cause {
    // Before the worker is reaped: until then, its process group's number cannot be that of another group.
    plugin_process_kill(process.pid, process.pidfd)
    receive(chunks: 4_096)
    // 64 chunks are more than a pipe holds.
    _ = output.read(process.output, chunks: 64, settings.options.output)
    output.finish(settings.options.output)
    var end = plugin_process_end_t()
    // The process has ended, or was killed. The wait is bounded, should the system not let it end.
    var patience = 1000
    while !plugin_process_reap(process.pid, &end), patience > 0 {
      poll(nil, 0, 10)
      patience -= 1
    }
    link.sender.withLock { $0.close() }
    confinement?.close()
    for descriptor in [process.socket, process.output, process.pidfd] where descriptor >= 0 { close(descriptor) }
    processorTime = .seconds(end.processor_time)
    return end.signal >= 0 ? .killed(signal: end.signal) : end.status >= 0 ? .exited(status: end.status) : .unknown
  }

  // MARK: Between two processes

  private func waitBeforeRestart() {
    guard restarts > 0 else { return }
    let delay = min(settings.options.backoff * (1 << min(restarts - 1, 10)), .seconds(5))
    let end = ContinuousClock.now + delay
    while ContinuousClock.now < end, link.state.withLock({ $0.phase == .waiting }) { waitForWakeup(until: end) }
  }

  /// Waits until there are calls; returns false once the link closes.
  private func waitForCalls() -> Bool {
    while true {
      let (phase, hasCalls) = link.state.withLock { ($0.phase, !$0.unsent.isEmpty) }
      guard phase == .waiting else { return false }
      if hasCalls { return true }
      waitForWakeup(until: nil)
    }
  }

  /// Waits until a thread has changed the state of the link, or a time has passed. Rejects the calls whose time limits
  /// have passed: they wait for a worker.
  func waitForWakeup(until end: ContinuousClock.Instant?) {
    let time = [end, link.state.withLock(\.nextTime)].compactMap(\.self).min()
    var wait = pollfd(fd: link.wakeup, events: Int16(POLLIN), revents: 0)
    poll(&wait, 1, Self.milliseconds(from: .now, until: time))
    link.takeWakeup()
    checkCalls(.now)
  }

  /// Returns the timeout for poll(), rounded up; -1 for none.
  static func milliseconds(from now: ContinuousClock.Instant, until end: ContinuousClock.Instant?) -> Int32 {
    guard let end else { return -1 }
    let (seconds, attoseconds) = now.duration(to: end).components
    if seconds >= 3_600 { return 3_600_000 }
    return Int32(max(0, seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}

// MARK: Errors

extension WorkerServer {
  /// Returns the refusals that a process ended with.
  private func refusals(_ cause: WorkerEnd.Cause) -> [CapabilityRefusal] {
    let capabilities = settings.options.capabilities
    // A process that ignores SIGXCPU is killed by the system a second later.
    let isSpent = capabilities.cpuTime.map { processorTime >= max($0, .seconds(1)) } ?? false
    let isKilled = fault == nil && cause == .killed(signal: SIGKILL) && isSpent
    let limit = cause == .killed(signal: SIGXCPU) || isKilled ? capabilities.cpuText : nil
    return (confinement?.remaining ?? [])
      + (limit.map { [CapabilityRefusal(capability: .cpu, path: nil, call: nil, limit: $0)] } ?? [])
  }

  func reject(_ call: consuming RemoteCall, _ error: PluginError) {
    WorkerLink.deliveries.run(with: consume call) { $0.promise.reject(error) }
  }

  /// Rejects calls, each with an error of its own, and releases them.
  func reject(_ calls: consuming [RemoteCall], with error: (RemoteCall) -> PluginError) {
    for call in copy calls { reject(call, error(call)) }
    WorkerLink.deliveries.release(all: consume calls)
  }

  /// Rejects the calls of a worker that has ended, each with the error of the one whose result it takes as its cause.
  private func rejectCrashed(_ calls: [RemoteCall], _ end: WorkerEnd) {
    var errors: [UInt64: PluginError] = [:]
    for call in calls {
      let cause = call.arguments.results.lazy.compactMap { errors[$0.promise.id] }.first
      let error = refusal ?? crashed(call, end).because(of: cause)
      errors[call.promise.id] = error
      reject(call, error)
    }
  }

  private func crashed(_ call: RemoteCall, _ end: WorkerEnd) -> PluginError {
    let end = end.pending(for: call.began.duration(to: .now))
    return PluginError(.workerEnded(end), name(call.function), end.message)
  }

  func closed(_ function: String) -> PluginError {
    PluginError(.closed, name(function), "had not settled its promise when the host shut down")
  }

  func timedOut(_ call: RemoteCall) -> PluginError {
    PluginError(.timedOut, name(call.function), "did not end within \(call.terms.timeout ?? .zero)")
  }

  func badResult(_ call: RemoteCall, _ mismatch: ArgumentMismatch) -> PluginError {
    let part = mismatch.path.isEmpty ? "a result that" : "a result whose part '\(mismatch.path)'"
    return PluginError(.badResult, name(call.function), "returned \(part) \(mismatch.message)")
  }

  func name(_ function: String) -> String { "\(settings.id(description)).\(function)" }
}
