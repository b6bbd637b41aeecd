import CPluginEdge
import CPromise
import Glibc
import Promises
import Synchronization

extension WorkerServer {
  /// Reads and handles the frames that have arrived, in at most `chunks` chunks: a process may write faster than this
  /// reads. Returns false at the end of the stream.
  @discardableResult
  func receive(chunks: Int = 1) -> Bool {
    for _ in 0..<chunks {
      do throws(FrameError) {
        switch try incoming.receive(process.socket, &reader) {
        case .received: if fault != nil { reader = FrameReader() }
        case .nothing: return true
        case .ended: return false
        }
        var counted = reader.taken
        while fault == nil, let frame = try reader.next() {
          // Counted before the frame is handled: a caller may read the count once its call is settled.
          link.received.wrappingAdd(reader.taken - counted, ordering: .relaxed)
          counted = reader.taken
          try handle(frame)
        }
      } catch {
        kill("it sent \(error)", isDecision: error.isOverLimit)
      }
    }
    return true
  }

  private func handle(_ frame: Frame) throws(FrameError) {
    switch (frame.kind, stage) {
    case (.ready, .greeting):
      guard frame.body == PluginWorker.greeting else {
        throw FrameError(description: "the greeting of another version: \(frame.body.json)")
      }
      advance(to: .opening, Frame(.open, 0, settings.source.value))
    case (.admitted, .opening): isAdmitted = true
    case (.opened, .opening):
      let description: PluginDescription
      do throws(ArgumentMismatch) {
        description = try PluginDescription(from: frame.body)
      } catch {
        throw FrameError(description: "a description whose part '\(error.path)' \(error.message)")
      }
      guard opened(description) else { return kill("the host does not load it") }
      refusedBeforeLoad = Set(confinement?.remaining ?? [])
      let configuration = settings.host.configuration[description.id] ?? [:]
      let members = configuration.sorted { $0.key < $1.key }.map { PluginMember($0.key, .string($0.value)) }
      advance(to: .loading, Frame(.load, 0, .object(members)))
    case (.loaded, .loading):
      let refused = confinement?.takeOutsideCalls() ?? []
      warn(of: refused.filter { refusedBeforeLoad.contains($0) }, "an initialiser or \(PluginEntry.name)()")
      warn(of: refused.filter { !refusedBeforeLoad.contains($0) }, "load()")
      loaded()
    case (.failed, .opening), (.failed, .loading):
      let reason = try ReasonCoder.decode(frame.body)
      if isAdmitted, let error = reason as? PluginError, error.isAdmission {
        throw FrameError(description: "a refusal by the rules that had admitted it: \(error.message.cutToMessage)")
      }
      refusal =
        reason as? PluginError ?? PluginError(.loadFailed, settings.source.name, "\(reason ?? "no reason given")")
      if let refused = confinement?.remaining, !refused.isEmpty {
        refusal = refused.error(settings.source.name, refusal?.message)
      }
      kill("it refused the plugin")
    case (.unloaded, .unloading):
      warn(of: confinement?.takeOutsideCalls(since: stageBegan) ?? [], "unload()")
      if case .array(let skipped) = frame.body, !skipped.isEmpty {
        settings.host.log(.warning, settings.id(description), "a function has not returned; not unloaded")
      }
      stage = .exiting
      stageEnd = .now + settings.options.grace
    case (.pong, _): pinged = nil
    case (.log, _): try log(frame.body)
    case (.fulfilled, .running), (.rejected, .running), (.progress, .running), (.fulfilled, .unloading),
      (.rejected, .unloading), (.progress, .unloading):
      try answer(frame)
    case (.kept, .running), (.kept, .unloading): try keep(frame)
    case (.wanted, .running), (.wanted, .unloading):
      guard case .uint(let number) = frame.body else {
        throw FrameError(description: "a question for a result of an unknown form")
      }
      link.settleResult(number, of: frame.request, to: generation)
    case (.callback, _): try callback(frame)
    case (.released, _):
      if let callback = link.state.withLock({ $0.callbacks.removeValue(forKey: frame.request) }) {
        WorkerLink.deliveries.release(consume callback)
      }
    case (.foreign, _): try foreign(frame)
    case (.foreignCancel, _):
      if let call = link.state.withLock({ $0.foreign[frame.request] }) {
        WorkerLink.deliveries.run(with: consume call) { $0.cancel() }
      }
    case (.foreignRequestCancel, _):
      if let call = link.state.withLock({ $0.foreign[frame.request] }) {
        WorkerLink.deliveries.run(with: consume call) { $0.requestCancel() }
      }
    default: throw FrameError(description: "a frame of the kind '\(frame.kind)' in the stage '\(stage)'")
    }
  }

  private func advance(to stage: Stage, _ frame: Frame) {
    self.stage = stage
    stageBegan = .now
    stageEnd = stageBegan + settings.options.loadTimeout
    if let error = link.send(frame) { kill("its configuration cannot be sent: \(error)") }
  }

  /// Logs the refusals of a function that has returned, perhaps because it can do without. Those before unload() are
  /// the same in each worker, and logged for the first one.
  private func warn(of refused: [CapabilityRefusal], _ function: String) {
    guard !refused.isEmpty, stage == .unloading || generation == 1 else { return }
    settings.host.log(.warning, settings.id(description), "\(function) \(refused.sentence)")
  }

  private func log(_ body: PluginValue) throws(FrameError) {
    guard case .array(let parts) = body, parts.count == 2, case .int(let number) = parts[0],
      let level = Int32(exactly: number).flatMap(LogLevel.init), case .string(let message) = parts[1]
    else { throw FrameError(description: "a line of the log of an unknown form") }
    settings.host.log(level, settings.id(description), message.cutToMessage)
  }

  // MARK: Answers

  private func answer(_ frame: Frame) throws(FrameError) {
    if frame.kind == .progress { return try progress(frame) }
    // The call was given up while its answer was under way; or it never existed. So this is not a sign of life.
    guard let call = link.state.withLock({ $0.remove(frame.request) }) else { return }
    answered()
    let isRejected = frame.kind == .rejected
    let refused = confinement?.take(frame.request, since: call.began, isRejected: isRejected) ?? []
    if call.timedOut != nil { return rejectLate(consume call) }
    guard refused.isEmpty else {
      let reason = isRejected ? try ReasonCoder.decode(frame.body) : nil
      let error = refused.error(name(call.function), reason.map { "\($0)" })
      return rejectAll(consume call, error)
    }
    if !isRejected {
      let value = frame.body
      do throws(ArgumentMismatch) {
        try call.target.check(result: value)
      } catch {
        let error = badResult(call, error)
        return rejectAll(consume call, error)
      }
      guard call.isPlain else {
        return WorkerLink.deliveries.run(with: consume call) { $0.promise.resolve(value) }
      }
      return call.promise.resolve(value, elsewhere: { WorkerLink.deliveries.run($0) })
    }
    var reason = try ReasonCoder.decode(frame.body)
    link.inherit(call.thrown, from: frame.request)
    if let thrown = reason as? ThrownReason { reason = call.thrown[thrown.number] ?? thrown.text }
    if let cause = link.state.withLock({ $0.crossedEnds.error(behind: reason) }) {
      reason = PluginError(
        cause.kind, name(call.function), "depends on \(cause.subject), which was rejected: \(cause.message)"
      ).because(of: cause)
    }
    // The reason can be an object of the program, so it is moved too.
    let rejected = RejectedCall(call: consume call, rejection: CallbackRejection(reason: consume reason))
    WorkerLink.deliveries.run(with: consume rejected) { $0.call.promise.reject($0.rejection.reason) }
  }

  /// Notes that the worker has fulfilled a call, and keeps its result.
  private func keep(_ frame: Frame) throws(FrameError) {
    guard case .uint(let size) = frame.body else { throw FrameError(description: "a kept result of an unknown form") }
    guard size >= UInt64(Frame.leastKept), size <= UInt64(Int.max) else {
      throw FrameError(description: "a kept result of \(size) bytes, expected at least \(Frame.leastKept)")
    }
    // The call was given up while its answer was under way.
    guard let call = try link.keep(frame.request, size: size) else { return _ = link.send(Frame(.drop, frame.request)) }
    answered()
    let refused = confinement?.take(frame.request, since: call.began, isRejected: false) ?? []
    guard refused.isEmpty, call.timedOut == nil else {
      link.drop(frame.request)
      if call.timedOut != nil { return rejectLate(consume call) }
      let error = refused.error(name(call.function), nil)
      return rejectAll(consume call, error)
    }
    if call.demand?.keep() == true {
      call.terms.use?.end()
    } else {
      link.fetch(frame.request, for: call.promise)
    }
    // As a rule the last reference to the promise, and so to the captures of its callbacks.
    WorkerLink.deliveries.release(consume call)
  }

  /// Rejects a call whose result the host does not accept, and the calls that the worker has passed the result to.
  private func rejectAll(_ call: consuming RemoteCall, _ error: PluginError) {
    let dependents = link.takeDependents(of: call.request)
    reject(consume call, error)
    for dependent in dependents { link.send(Frame(.cancel, dependent.request)) }
    reject(consume dependents) { _ in error }
  }

  /// Rejects a call that has ended after its time limit.
  private func rejectLate(_ call: consuming RemoteCall) {
    let error = timedOut(call)
    reject(consume call, error)
  }

  private func progress(_ frame: Frame) throws(FrameError) {
    guard case .array(let parts) = frame.body, parts.count == 2 else {
      throw FrameError(description: "progress of an unknown form")
    }
    guard let call = link.state.withLock({ $0.calls[frame.request] }) else { return }
    let fraction: Double? = if case .double(let number) = parts[0] { number } else { nil }
    let message: String? = if case .string(let text) = parts[1] { text.cutToMessage } else { nil }
    let report = ProgressReport(
      plugin: settings.id(description), function: call.function, call: call.number,
      fraction: Progress(fraction: fraction ?? -1, message: nil).fraction, message: message)
    call.terms.progress?(report)
    settings.host.progress(report)
  }

  // MARK: Questions

  private func callback(_ frame: Frame) throws(FrameError) {
    guard case .array(let parts) = frame.body, parts.count == 4, case .uint(let number) = parts[0],
      case .uint(let request) = parts[1], case .array(let arguments) = parts[2], case .uint(let depth) = parts[3]
    else { throw FrameError(description: "the call of a callback of an unknown form") }
    try noteQuestion()
    guard let callback = link.state.withLock({ $0.callbackToRun(number) }) else {
      let error = PluginError(.closed, settings.id(description), "runs a callback whose scope has ended")
      return link.answer(.returned, frame.request, .failure(CallbackRejection(reason: error)), to: generation)
    }
    let isRun = link.questions.runElsewhere { [link, generation] in
      let answer: WorkerQuestions.Answer
      do {
        answer = .success(try CallStack.at(Int(clamping: depth)) { try callback.run(arguments) })
      } catch {
        answer = .failure(link.crossing(error, of: request))
      }
      link.answer(.returned, frame.request, answer, to: generation)
    }
    if !isRun { link.answer(.returned, frame.request, .failure(noThread("a callback")), to: generation) }
  }

  /// Returns the job that makes a call of another plugin. From then on the job alone holds the call, and with it the
  /// result: this thread must not release objects of the program.
  private func calling(
    _ call: ForeignCall, for request: UInt64, _ make: @escaping @Sendable () -> Promise<PluginValue>
  ) -> CallThreads.Job {
    { [link, generation] in
      let promise = make()
      call.begin(promise)
      let end: @Sendable (WorkerQuestions.Answer) -> Void = { answer in
        link.state.withLock { if $0.foreign[request] === call { $0.foreign[request] = nil } }
        link.answer(.answered, request, answer, to: generation)
      }
      promise.then({ end(.success($0)) }, { end(.failure(CallbackRejection(reason: $0))) })
    }
  }

  /// The answer to a question for which no thread can be started. The thread that serves the link must not wait for it.
  private func noThread(_ subject: String) -> CallbackRejection {
    CallbackRejection(
      reason: PluginError(.overloaded, subject, "is not called: its thread cannot be started: \(SystemLimit.tasks)"))
  }

  /// Counts a question of the worker. The number is limited, because unanswered questions take memory of the host.
  private func noteQuestion() throws(FrameError) {
    let limit = settings.options.questionLimit
    let count = link.state.withLock { state in
      state.questions += 1
      return state.questions
    }
    guard count <= limit else {
      throw FrameError(description: "more callbacks and calls of other plugins at the same time than \(limit)")
    }
  }

  private func foreign(_ frame: Frame) throws(FrameError) {
    guard case .array(let parts) = frame.body, parts.count == 4, case .string(let plugin) = parts[0],
      case .string(let function) = parts[1], case .array(let arguments) = parts[2], case .uint(let depth) = parts[3]
    else { throw FrameError(description: "a call of another plugin of an unknown form") }
    try noteQuestion()
    // Noted before the next frame is read, which may cancel it.
    let call = ForeignCall()
    link.state.withLock { $0.foreign[frame.request] = call }
    let job = calling(consume call, for: frame.request) { [settings] in
      CallStack.at(Int(clamping: depth)) { settings.callOtherPlugin(function, plugin, arguments) }
    }
    guard !link.questions.runElsewhere(consume job) else { return }
    link.state.withLock { $0.foreign[frame.request] = nil }
    link.answer(.answered, frame.request, .failure(noThread("\(plugin).\(function)")), to: generation)
  }
}

extension String {
  /// The text of a line of the log or of a report. The frame of a worker may have 256 MiB.
  fileprivate var cutToMessage: String {
    let longest = 1 << 16
    guard utf8.count > longest else { return self }
    return "\(String(decoding: utf8.prefix(longest), as: UTF8.self))... (\(utf8.count - longest) more bytes)"
  }
}

extension PluginCallback {
  /// Calls the closure with values.
  func run(_ arguments: [PluginValue]) throws -> PluginValue {
    switch body {
    case .values(let body): return try body(arguments)
    case .binary(let body):
      var values = arguments.map { promise_value_t($0) ?? promise_value_t() }
      defer { for index in values.indices { promise_value_release(&values[index]) } }
      var result = promise_value_t()
      result.kind = promise_kind_t(PROMISE_KIND_VOID)
      // One more element, so that the buffer has an address even without arguments.
      let state = (values + [promise_value_t()]).withUnsafeBufferPointer { buffer in
        body(buffer.baseAddress.unsafelyUnwrapped, values.count, &result)
      }
      defer { promise_value_release(&result) }
      guard state == PROMISE_FULFILLED else { throw CallbackRejection(reason: result.reason) }
      return try PluginValue(&result)
    }
  }
}

/// A call with the reason of its rejection. Swift 6.3.1 crashes on a tuple of a call that is consumed.
private struct RejectedCall: Sendable {
  let call: RemoteCall
  let rejection: CallbackRejection
}
