import CPluginEdge
import Glibc
import Promises
import Synchronization

/// The process in which an isolated plugin runs: one plugin, one host, connected by the socket that the host left as
/// descriptor 3.
///
/// Five kinds of threads run here. The main thread maps the plugin, calls its load() and unload(), and runs the jobs of
/// the main executor. The leader of the `FrameServer` reads frames and makes the calls that return soon; its follower
/// takes the lead if one does not. Each serial lane has a thread for its calls. `CallThreads` make the others, and run
/// the reactions to the ends of calls of other plugins.
public final class PluginWorker: Sendable {
  /// The name by which host and worker know each other in their first frames.
  static let greeting = PluginValue.array([.string("plugin-worker"), .uint(UInt64(PluginDescriptor.hostABI))])

  private let channel: WorkerChannel
  private let questions: WorkerQuestions
  private let server: FrameServer
  private let threads = CallThreads(limit: WorkerLink.threads)
  private let state = Mutex(State())
  private let main: MainThread
  /// The host's sealed copy of the plugin's file; -1 if it is read at its path.
  private let copy: Int32

  private init(socket: Int32, copy: Int32, main: MainThread) {
    self.main = main
    self.copy = WorkerChannel.raised(copy)
    channel = WorkerChannel(moving: socket)
    server = FrameServer(channel, threads, limit: WorkerLink.threads)
    questions = WorkerQuestions(channel, server)
  }

  /// Serves the host that started this process, until it ends the process. A program that is a worker calls this first,
  /// on its main thread.
  ///
  /// A program that `IsolatedPlugin` did not start ends at once.
  public static func run() -> Never {
    plugin_process_end_with_parent()
    SignalAction.catchWriteSignals()
    preferForMemory()
    // While the process has one thread.
    let copy = Confinement.enter()
    ProcessGuard.install(
      program: "plugin-worker", statuses: .init(call: -1, load: -1, timeout: 3), timeout: .zero)
    guard let main = MainThread() else {
      WorkerChannel.fail("plugin-worker: cannot make a loop for the main thread")
    }
    let worker = PluginWorker(socket: socketDescriptor, copy: copy, main: main)
    guard worker.server.start(worker.receive) else {
      WorkerChannel.fail("plugin-worker: the reading thread cannot be started: \(SystemLimit.tasks)")
    }
    while true {
      main.wait()
      main.runOnce()
    }
  }

  /// Makes this process, and those that it starts, the first that the kernel ends when the machine's memory is used up.
  private static func preferForMemory() {
    let file = Glibc.open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, "1000", 4)
    close(file)
  }

  /// Handles a frame on the thread that reads.
  private func receive(_ frame: Frame) throws(FrameError) {
    switch frame.kind {
    case .hello:
      guard case .array(let parts) = frame.body, parts.count == 3, parts[0] == Self.greeting,
        case .uint(let worker) = parts[1], case .uint(let recursionLimit) = parts[2]
      else { throw FrameError(description: "no greeting of this version of the worker: \(frame.body.json)") }
      state.withLock { state in
        state.handles = HandleTable(worker: UInt32(truncatingIfNeeded: worker))
        state.recursionLimit = Int(clamping: recursionLimit)
      }
      reply(Frame(.ready, 0, Self.greeting))
    case .open: main.post { [self] in open(frame.body) }
    case .load: main.post { [self] in load(frame.body) }
    case .unload: main.post { [self] in unload(frame.body) }
    case .call: try call(frame)
    case .cancel:
      let call = state.withLock { $0.calls[frame.request] }
      // Not on this thread: the plugin's discard handler may take long.
      if let call { threads.run { call.cancel() } }
    case .requestCancel:
      let call = state.withLock { $0.calls[frame.request] }
      if let call { threads.run { call.requestCancel() } }
    case .settle:
      let settled = try WorkerQuestions.result(frame.body, state.withLock(\.handles))
      let promise = argument(frame.request, isLast: true)
      threads.run { [self] in settle(promise, with: settled) }
    case .keep: state.withLock { $0.calls[frame.request] }?.markTaken()
    case .fetch: try fetch(frame.request)
    case .drop: try drop(frame.request)
    case .ping: reply(Frame(.pong))
    case .returned, .answered: try questions.answer(frame, state.withLock(\.handles))
    case .release:
      let objects = try state.withLock(\.handles).release(frame.body)
      // Elsewhere: without a thread for it, a destructor runs in the release.
      threads.release(all: consume objects)
    default: throw FrameError(description: "a frame of the kind '\(frame.kind)', which no host sends")
    }
  }

  /// Sends a frame whose body is made here, and so can be encoded.
  private func reply(_ frame: Frame) { _ = channel.send(frame) }

  // MARK: Loading, on the main thread

  private func open(_ body: PluginValue) {
    do {
      let source = try PluginSource(from: body)
      // The host has resolved the path of the copy.
      if copy >= 0, let path = source.path { PluginFile.keep(copy, at: path) }
      LibraryLoader.willMap.withLock { $0 = { [self] _ in reply(Frame(.admitted)) } }
      let description = try source.inspect()
      state.withLock { $0.stage = .opened(source, description) }
      reply(Frame(.opened, 0, description.value))
    } catch {
      fail(error)
    }
  }

  private func load(_ body: PluginValue) {
    guard case .opened(let source, let description) = state.withLock(\.stage), case .object(let settings) = body else {
      WorkerChannel.fail("plugin-worker: the host loads before it opens")
    }
    var configuration: [String: String] = [:]
    for setting in settings {
      if case .string(let value) = setting.value { configuration[setting.name] = value }
    }
    var options = Host.Options(
      configuration: [description.id: configuration],
      log: { [self] level, _, message in
        reply(Frame(.log, 0, .array([.int(Int64(level.rawValue)), .string(message)])))
      })
    options.recursionLimit = state.withLock(\.recursionLimit)
    let host = Host(
      options,
      callOtherPlugin: { [self] function, plugin, arguments in
        questions.call(function, of: plugin, arguments, handles: state.withLock(\.handles))
      })
    do {
      let loaded = try source.load(into: host)
      guard loaded == description else {
        throw PluginError(.replaced, source.name, "was replaced by another file while it was being loaded")
      }
      let handles = state.withLock(\.handles)
      let made = try Loaded(description, in: host, handles) { [self] in answer($0, $1, handles) }
      state.withLock { $0.stage = .loaded(made) }
      reply(Frame(.loaded))
    } catch let error as PluginError where error.isAdmission {
      fail(PluginError(.replaced, source.name, "needs a file that was replaced while it was being loaded: \(error)"))
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: any Error) { reply(Frame(.failed, 0, ReasonCoder.encode(error))) }

  /// Calls unload() and exits, as a program does: with the plugin's own exit handlers and destructors, unless a
  /// function has not returned.
  private func unload(_ body: PluginValue) {
    var skipped: [String] = []
    if case .loaded(let loaded) = state.withLock(\.stage) {
      // The calls have had their time. If destructors or unload() take too long, the host ends this process.
      skipped = loaded.host.unloadAll(deadline: .zero, destructors: .seconds(3600))
    }
    reply(Frame(.unloaded, 0, .array(skipped.map { .string($0) })))
    ProcessGuard.ending(0)
    fflush(nil)
    if skipped.isEmpty { exit(0) }
    _exit(0)
  }

  // MARK: Calls

  /// Notes a call, so that later frames find it. It is made once the received frames are handled.
  private func call(_ frame: Frame) throws(FrameError) {
    guard case .loaded(let loaded) = state.withLock(\.stage) else {
      throw FrameError(description: "a call before the plugin is loaded")
    }
    let request = frame.request
    let incoming = try IncomingCall(
      frame.encoding, frame.memory, frame.files,
      promise: { given in
        switch given {
        case .number(let number): argument(number, isLast: false)
        case .result(let producer, let number): result(of: producer, orPromise: number, for: request)
        case .fulfilled(let value): fulfilled(value)
        }
      },
      callback: { number in
        questions.callback(number, request: request, handles: { [self] in state.withLock(\.handles) })
      })
    guard let incoming, incoming.function < UInt64(loaded.functions.count) else {
      throw FrameError(
        description:
          "a call whose body is not an array of the number of a function (below \(loaded.functions.count)), depth, lane, "
          + "whether the result stays, and arguments")
    }
    let function = loaded.functions[Int(incoming.function)]
    let call = WorkerCall(request, function, answer: loaded.answer)
    if incoming.stays { call.markTaken() }
    state.withLock { $0.calls[request] = call }
    let arguments = Result { () throws(ArgumentMismatch) in
      try loaded.handles.imported(incoming.arguments, for: function)
    }
    let depth = Int(clamping: incoming.depth)
    run(in: incoming.lane) { [self] in
      // At most the host's limit.
      CallStack.at(depth) { make(call, of: loaded, arguments) }
    }
  }

  /// Runs a job on the thread of the lane; 0: on any thread.
  private func run(in lane: UInt64, _ job: @escaping CallThreads.Job) {
    guard lane != 0 else { return server.add(job) }
    let thread = state.withLock { state in
      let thread = state.lanes[lane] ?? SerialThread()
      state.lanes[lane] = thread
      return thread
    }
    thread.post(job)
  }

  private func make(_ call: WorkerCall, of loaded: Loaded, _ arguments: Result<[Argument], ArgumentMismatch>) {
    let imported: [Argument]
    do throws(ArgumentMismatch) {
      imported = try arguments.get()
    } catch {
      return call.reject(with: call.function.error(.badArgument, "argument '\(error.path)' \(error.message)"))
    }
    if call.isCancelled { return call.settle(.failure(CallbackRejection(reason: Discarded.discarded))) }
    let request = call.request
    plugin_confinement_note_call(request)
    let begun = loaded.host.call(call.function, of: loaded.plugin, imported, settling: call) { [self] report in
      reply(
        Frame(
          .progress, request,
          .array([report.fraction.map { .double($0) } ?? .void, report.message.map { .string($0) } ?? .void])))
    }
    plugin_confinement_note_call(0)
    if let begun { call.begin(begun) }
  }

  /// Answers a call, or keeps its result if a later call takes it.
  private func answer(_ call: WorkerCall, _ outcome: WorkerCall.Outcome, _ handles: HandleTable) {
    let request = call.request
    let value: PluginValue
    switch outcome {
    case .success(let result): value = result
    case .failure(let rejection):
      // A reason of the host may have handles, which cross as those of a result.
      let reason = try? handles.exported(ReasonCoder.encode(rejection.reason))
      return end(request, Frame(.rejected, request, reason ?? ReasonCoder.encode("a reason with too many handles")))
    }
    let size = call.isTaken ? value.size : 0
    guard size >= Frame.leastKept else { return send(request, value, handles, of: call.function) }
    state.withLock { state in
      state.calls[request] = nil
      state.kept[request] = value
    }
    reply(Frame(.kept, request, .uint(UInt64(size))))
  }

  /// Sends a result, and remembers a small one for calls that are under way. Handles and open files are not
  /// remembered: their objects would stay alive, and a pipe would have no end.
  private func send(_ request: UInt64, _ value: PluginValue, _ handles: HandleTable, of function: BoundFunction?) {
    do throws(ArgumentMismatch) {
      let isRecent = !value.holdsHandles && value.size < Frame.leastKept
      end(request, Frame(.fulfilled, request, try handles.exported(value)), isRecent ? value : nil)
    } catch {
      let error = PluginError(
        .badResult, function?.qualifiedName ?? "plugin-worker", "returned a result that \(error.message)")
      end(request, Frame(.rejected, request, ReasonCoder.encode(error)))
    }
  }

  /// Sends the last frame of a call, or a rejection if the frame cannot be encoded. `recent` is the result, if
  /// `RecentResults` is to keep it.
  private func end(_ request: UInt64, _ frame: Frame, _ recent: PluginValue? = nil) {
    state.withLock { state in
      if state.calls.removeValue(forKey: request) != nil, let recent { state.recent.append(recent, request) }
    }
    guard let error = channel.send(frame) else { return }
    state.withLock(\.handles).withdraw(frame.body)
    let reason = PluginError(
      .notIsolated, "plugin-worker",
      "cannot send the result of a call: it \(error.message); in-process none is sent (--isolation in-process)")
    reply(Frame(.rejected, request, ReasonCoder.encode(reason)))
  }

  // MARK: Results that are kept

  private func take(_ request: UInt64) throws(FrameError) -> PluginValue {
    guard let value = state.withLock({ $0.kept.removeValue(forKey: request) }) else {
      throw FrameError(description: "a question for the result of request \(request), which is not kept")
    }
    return value
  }

  private func fetch(_ request: UInt64) throws(FrameError) {
    let value = try take(request)
    threads.run { [self] in send(request, value, state.withLock(\.handles), of: nil) }
  }

  private func drop(_ request: UInt64) throws(FrameError) {
    let value = try take(request)
    // Elsewhere, because a large value takes long to release.
    threads.release(consume value)
  }

  // MARK: Promises that are arguments

  private func argument(_ number: UInt64, isLast: Bool) -> Promise<PluginValue> {
    // A new promise is made without the lock, because a trace may call a closure of the plugin. Only the reading thread
    // calls this function, so no other thread adds the number meanwhile.
    let promise = state.withLock { $0.promises[number] } ?? Promise<PluginValue>()
    state.withLock { $0.promises[number] = isLast ? nil : promise }
    return promise
  }

  /// Returns the result of an earlier call. If that call is no longer known, the host has its answer, or will have it,
  /// and settles the promise `number` on request.
  private func result(of producer: UInt64, orPromise number: UInt64, for request: UInt64) -> Promise<PluginValue> {
    let (call, value) = state.withLock { state -> (WorkerCall?, PluginValue?) in
      if let call = state.calls[producer] { return (call, nil) }
      return (nil, state.kept[producer] ?? state.recent[producer])
    }
    if let call { return call.result }
    if let value { return .resolve(value) }
    let promise = argument(number, isLast: false)
    reply(Frame(.wanted, request, .uint(number)))
    return promise
  }

  private func fulfilled(_ value: PluginValue) -> Promise<PluginValue> {
    let promise = Promise<PluginValue>()
    settle(promise, with: WorkerQuestions.imported(.success(value), state.withLock(\.handles)))
    return promise
  }

  private func settle(_ promise: Promise<PluginValue>, with result: Result<PluginValue, CallbackRejection>) {
    switch result {
    case .success(let value): promise.resolve(value)
    case .failure(let crossed):
      guard let mismatch = crossed.reason as? ArgumentMismatch else { return promise.reject(crossed.reason) }
      promise.reject(PluginError(.badArgument, "plugin-worker", "a promise\(mismatch.path) \(mismatch.message)"))
    }
  }
}

private let socketDescriptor = Int32(PLUGIN_PROCESS_SOCKET)
