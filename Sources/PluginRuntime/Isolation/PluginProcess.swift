import Dispatch
import Promises
import Synchronization

/// One worker of a plugin: its process, or the process that replaces an ended one, and the thread that serves them.
final class PluginProcess: Sendable {
  let description: PluginDescription
  /// The functions by their names.
  let functions: [String: RemoteFunction]
  let link: WorkerLink
  private let settings: WorkerSettings
  /// Signalled when the thread that serves the link has ended.
  private let ended: DispatchSemaphore

  private static let calls = Atomic<UInt64>(1 << 32)

  /// Starts the process, and returns when load() has returned, or its time limit has passed.
  convenience init(_ settings: WorkerSettings) throws(PluginError) {
    try self.init(StartingWorker(settings), settings)
  }

  /// Returns when load() has returned in a process that was started, or its time limit has passed.
  init(_ worker: StartingWorker, _ settings: WorkerSettings) throws(PluginError) {
    // Each stage of a worker has a time limit.
    let description = try worker.start.wait().get()
    self.description = description
    functions = Dictionary(
      description.functions.enumerated().map { ($1.name, RemoteFunction($1, UInt64($0), of: description.id)) },
      uniquingKeysWith: { first, _ in first })
    link = worker.link
    self.settings = settings
    ended = worker.ended
  }

  deinit { link.beginClosing(end: .now) }

  /// The file that the process has loaded, also if another one is at its path by now.
  var file: KeptFile? { settings.file }
  /// The number of calls that have not been answered.
  var pending: Int { link.state.withLock { $0.calls.count } }
  /// The number of the process.
  var generation: Int { link.state.withLock(\.generation) }

  /// The state of the plugin while no process has loaded it; otherwise `nil`.
  var absence: WorkerReport.State? {
    link.state.withLock { state in
      switch state.phase {
      case .waiting: state.isQuarantined ? .quarantined : .unloaded
      case .closed: .unloaded
      case .open, .closing: nil
      }
    }
  }

  /// Whether a handle is one of this process.
  func owns(_ handle: UInt) -> Bool {
    HandleTable.upperHalf(link.state.withLock(\.worker)) == handle & ~0xFFFF_FFFF
  }

  /// Whether a promise is the result of a call that this process has not answered, or keeps.
  func isProducing(_ promise: Promise<PluginValue>) -> Bool { link.request(of: promise) != nil }

  /// The results that the process keeps, and the bytes that have crossed.
  var traffic: (kept: (count: Int, bytes: UInt64), sent: UInt64, received: UInt64) {
    (
      link.state.withLock(\.kept.size), link.sender.withLock(\.sent), link.received.load(ordering: .relaxed)
    )
  }

  /// The number of promise arguments whose outcomes crossed as frames of their own.
  var settled: Int { link.state.withLock(\.settled) }

  /// Makes a call. Returns its promise, that of `waiting` if it waited; `nil` if the plugin is ending, and accepts no
  /// more calls. `stays`: a call that waits takes the result.
  func begin(
    _ function: RemoteFunction, _ arguments: [Argument], _ terms: CallTerms, slot: CallSlot? = nil,
    waiting: WaitingCall? = nil, stays: Bool = false
  ) -> Promise<PluginValue>? {
    if let refusal = function.refusal { return .reject(refusal) }
    let limit = settings.host.recursionLimit
    guard terms.depth < limit else { return .reject(PluginError.tooDeep(function.subject, limit)) }
    let request = link.newRequest()
    let checked = function.signature.checkingCallbacks(arguments, function.subject)
    var outgoing = OutgoingArguments()
    let frame: EncodedFrame
    do throws(CBORError) {
      frame = try Frame.encoded(.call, request) { (encoder) throws(CBORError) in
        encoder.array(of: 4 + 3 * checked.count)
        encoder.append(function.number)
        encoder.append(UInt64(terms.depth))
        encoder.append(terms.lane)
        try encoder.append(.bool(stays))
        try outgoing.encode(checked, into: &encoder, link, settings.pool)
      }
    } catch {
      return .reject(PluginError(.badArgument, function.subject, "is given an argument that \(error)"))
    }
    let grace = settings.options.grace
    let (promise, demand) = waiting.map { ($0.promise, $0.demand) } ?? ResultDemand.promise()
    demand.bind(link, request, grace: grace)
    let call = RemoteCall(
      request, function, settling: promise, terms, number: Self.calls.wrappingAdd(1, ordering: .relaxed).newValue,
      arguments: outgoing, frame: frame, slot: slot, demand: demand, isTaken: stays)
    // A handle among the arguments is released after the call.
    switch withExtendedLifetime(arguments, { link.begin(call) }) {
    case .taken:
      waiting?.didStart(
        stop: { [link] in link.cancel(request, grace: grace) }, requestCancel: { [link] in link.requestCancel(request) }
      )
    case .closing: return nil
    case .outdated:
      return begin(function, arguments, terms, slot: slot, waiting: waiting, stays: stays)
    case .full:
      let error = PluginError(.overloaded, function.subject, "is not called: its worker process reads no calls")
      // Not on this thread, if the call waited: reactions would run with a lock of the thread that starts it.
      if waiting == nil { promise.reject(error) } else { WorkerLink.deliveries.run { promise.reject(error) } }
    }
    return promise
  }

  /// Calls an optional function of the plugin, such as `quiesce`, and waits until its result is settled, at most for
  /// the time limit. A no-op if the plugin has no such function, or if it has parameters.
  ///
  /// - Parameter sparesWorker: whether the worker lives on, with its calls, if the function exceeds the limit.
  /// - Throws: `PluginError`: the reason of the rejection.
  func perform(_ function: String, sparesWorker: Bool = false) throws(PluginError) {
    guard let function = functions[function], function.signature.inputs.isEmpty else { return }
    let limit = settings.options.loadTimeout
    let outcome = Awaited<PluginError?>()
    let subject = function.subject
    let promise =
      begin(function, [], CallTerms(depth: CallStack.depth, timeout: limit, sparesWorker: sparesWorker))
      ?? .reject(PluginError(.closed, subject, "is not called any more: its worker process is shut down"))
    promise.then(
      { _ in outcome.set(nil) },
      { reason in
        let error = reason as? PluginError
        let text = reason.map { "was rejected: \($0)" } ?? "was rejected"
        outcome.set(error ?? PluginError(.refused(-1), subject, text))
      })
    if let error = outcome.wait() { throw error }
  }

  /// Ends the process of that generation, for a reason that its calls report. The next call starts another one.
  func kill(_ generation: Int, _ reason: String) { link.kill(generation, reason) }

  /// Refuses new calls; those under way have until `end`.
  func beginClosing(end: ContinuousClock.Instant) { link.beginClosing(end: end) }

  /// Waits until the process has ended.
  func waitUntilEnded() {
    ended.wait()
    ended.signal()
  }
}

/// The thread that serves a worker, from its start on.
struct StartingWorker: Sendable {
  let link: WorkerLink
  /// The outcome of load().
  let start = Awaited<Result<PluginDescription, PluginError>>()
  /// Signalled when the thread has ended.
  let ended = DispatchSemaphore(value: 0)

  /// Starts the thread, which starts the process.
  ///
  /// - Parameter failed: receives the reason if the plugin is not loaded.
  init(
    _ settings: WorkerSettings, failed: @escaping @Sendable (PluginError) -> Void = { _ in }
  ) throws(PluginError) {
    let name = settings.source.name
    try settings.options.capabilities.check(name)
    guard let link = WorkerLink(questionThreads: settings.options.questionThreads) else {
      throw PluginError(
        .loadFailed, name, "cannot be loaded: no descriptor for its worker: \(SystemLimit.descriptors)")
    }
    self.link = link
    let isStarted = ProcessGuard.startThread { [start, ended] in
      let server = WorkerServer(link, settings) { outcome in
        if case .failure(let error) = outcome { failed(error) }
        start.set(outcome)
      }
      server.run()
      ended.signal()
    }
    guard isStarted else {
      throw PluginError(
        .loadFailed, name, "cannot be loaded: the thread of its worker cannot be started: \(SystemLimit.tasks)")
    }
  }
}
