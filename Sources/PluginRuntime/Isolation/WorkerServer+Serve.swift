import CPluginEdge
import Glibc
import Synchronization

extension WorkerServer {
  /// Serves the process until it has ended, or has been killed.
  func serve() {
    var hasOutput = true
    var hasSocket = true
    var waits = [0, process.output, link.wakeup, process.pidfd, 0].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while true {
      let plan = flush()
      waits[0].fd = hasSocket ? process.socket : -1
      waits[0].events = Int16(POLLIN | (plan.needsSpace ? POLLOUT : 0))
      if !hasOutput { waits[1].fd = -1 }
      waits[4].fd = confinement?.descriptor ?? -1
      var now = ContinuousClock.now
      repeat {
        if plugin_poll(&waits, waits.count, Self.milliseconds(from: now, until: plan.next)) < 0 {
          // Interrupted: `revents` still has the events of the last poll.
          for index in waits.indices { waits[index].revents = 0 }
        }
        // Before the socket: a refusal is noted before the answer of its call is handled.
        if waits[4].revents != 0 { watchConfinement(waits[4].revents) }
        if waits[2].revents != 0 { link.takeWakeup() }
        if waits[1].revents != 0 { hasOutput = output.read(process.output, settings.options.output) }
        if waits[0].revents & ~Int16(POLLOUT) != 0, !receive() {
          hasSocket = false
          // A process closes its socket when it ends, which is then noticed at once. One that lives on has a deadline.
          if stage != .exiting { expectEnd(within: .milliseconds(500), "closed its socket") }
        }
        if waits[3].revents != 0 || process.pidfd < 0 && plugin_process_has_ended(process.pid) { return }
        now = .now
        // Answers do not change the deadlines; a thread that changes one wakes this thread. The link's lock, which the
        // next call is about to take, is therefore not taken here.
        let hasOthers = waits[1].revents | waits[2].revents | waits[3].revents | waits[4].revents != 0
        guard plan.isSteady, waits[0].revents == Int16(POLLIN), !hasOthers, hasSocket, fault == nil else { break }
      } while noteBusy(now, before: plan.next)
      checkTimes()
    }
  }

  /// Notes that the worker is in use. Returns whether `next` is in the future.
  private func noteBusy(_ now: ContinuousClock.Instant, before next: ContinuousClock.Instant?) -> Bool {
    lastBusy = now
    return next.map { now < $0 } ?? true
  }

  private func watchConfinement(_ events: Int16) {
    guard let gaps = confinement?.handle(events), !gaps.isEmpty, generation == 1 else { return }
    settings.host.log(
      .warning, settings.id(description), "not enforced on this system: \(gaps.joined(separator: "; "))")
  }

  /// Kills the process, for a reason that its calls report. The first reason counts.
  func kill(_ reason: String, isLate: Bool = false, isDecision: Bool = false) {
    if fault == nil { (fault, self.isLate, self.isDecision) = (reason, isLate, isDecision) }
    stageEnd = nil
    plugin_process_kill(process.pid, process.pidfd)
  }

  private func expectEnd(within duration: Duration, _ reason: String) {
    expectation = reason
    stageEnd = .now + duration
  }

  /// Sends waiting bytes, as many as the socket takes. Returns whether some wait for space in the socket, the time at
  /// which there is something to do, and whether answers leave that time unchanged.
  private func flush() -> (needsSpace: Bool, next: ContinuousClock.Instant?, isSteady: Bool) {
    let now = ContinuousClock.now
    var next = stageEnd
    func wake(at time: ContinuousClock.Instant?) {
      if let time { next = next.map { min($0, time) } ?? time }
    }
    // After the frame of `unload` the worker releases all handles itself.
    if stage == .running { for frame in handles?.releases() ?? [] { link.send(frame, to: generation) } }
    let (isBlocked, lacksDescriptors) = link.sender.withLock { ($0.flush(), $0.lacksDescriptors) }
    if lacksDescriptors { wake(at: now + .milliseconds(1)) }
    let isSteady = link.state.withLock { state in
      if !state.calls.isEmpty { lastBusy = now }
      // A stopped process notifies nobody. So the thread wakes to check it while it has calls, and for a second after
      // them: successive calls then need not wake the thread.
      state.isAsleep = now - lastBusy >= .seconds(1)
      wake(at: state.nextTime)
      if state.phase == .closing, stage == .running { wake(at: state.end) }
      if !state.isAsleep { wake(at: now + .seconds(1)) }
      return state.phase == .open && stage == .running && !isBlocked && !state.isAsleep
    }
    // Without a pidfd, the end of the process has to be polled.
    if process.pidfd < 0 { wake(at: now + .milliseconds(20)) }
    return (isBlocked && !lacksDescriptors, next, isSteady)
  }

  private func checkTimes() {
    guard fault == nil else { return }
    let now = ContinuousClock.now
    let (isFull, lacksDescriptors) = link.sender.withLock { ($0.isFull, $0.lacksDescriptors) }
    let (isDue, isClosing, isBusy, reason) = link.state.withLock { state in
      (state.nextTime.map { $0 <= now } ?? false, state.phase == .closing, !state.calls.isEmpty, state.killReason)
    }
    if let reason { return kill(reason, isDecision: true) }
    if isFull { return kill("it does not read its frames") }
    if let stageEnd, stageEnd <= now { return kill(expectation ?? stageFault, isLate: expectation == nil) }
    if isDue { checkCalls(now) }
    if isClosing { checkClosing(now) }
    guard fault == nil, isBusy || stage != .running else { return }
    let signal = plugin_process_stop_signal(process.pid)
    if signal != 0 { return kill(Self.fault(ofStop: signal)) }
    // A ping would wait behind the bytes that lack descriptors. That is not the fault of a worker that has read all
    // that was sent: one that has not may hold them.
    if lacksDescriptors, plugin_process_unread(process.socket) == 0 { pinged = nil } else { ping(now) }
  }

  /// Asks a busy worker each second whether it still reads. A worker whose descriptors were closed ends by that.
  private func ping(_ now: ContinuousClock.Instant) {
    if let pinged, pinged + settings.options.loadTimeout <= now {
      let deed = reader.hasPart ? "sent a part of a frame and not the rest" : "read nothing"
      return kill("it \(deed) in \(settings.options.loadTimeout)")
    }
    guard now >= (lastPing ?? now - .seconds(1)) + .seconds(1) else { return }
    lastPing = now
    if pinged == nil { pinged = now }
    link.send(Frame(.ping))
  }

  /// The terminal belongs to the process group of the host: it stops a worker that reads it or changes its settings.
  private static func fault(ofStop signal: Int32) -> String {
    let isByTerminal = signal == SIGTTIN || signal == SIGTTOU
    return "it was stopped by \(SignalName.of(signal))"
      + (isByTerminal ? ": only a plugin in-process can use the terminal (--isolation in-process)" : "")
  }

  private var stageFault: String {
    switch stage {
    case .greeting: "it did not answer as a worker in \(settings.options.startTimeout)"
    case .opening: "its initialisers or its entry did not return in \(settings.options.loadTimeout)"
    case .loading: "its load() did not return in \(settings.options.loadTimeout)"
    case .unloading: "its unload() did not return in \(settings.options.loadTimeout)"
    case .running, .exiting: "it did not exit after unload()"
    }
  }

  /// Stops the calls whose time limit has passed, and kills a worker that does not stop one.
  func checkCalls(_ now: ContinuousClock.Instant) {
    var stopped: [UInt64] = []
    var over: [RemoteCall] = []
    var stuck: (request: UInt64, function: String)?
    link.state.withLock { state in
      guard let next = state.nextTime, next <= now else { return }
      for call in state.calls.values {
        if let time = call.killTime {
          if time <= now { stuck = (call.request, call.function) }
        } else if let deadline = call.terms.deadline, deadline <= now {
          let unsent = state.unsent.firstIndex(of: call.request)
          if let unsent { state.unsent.remove(at: unsent) } else { stopped.append(call.request) }
          if unsent != nil || call.terms.sparesWorker {
            _ = state.remove(call.request)
            over.append(call)
          } else {
            call.timedOut = call.terms.timeout
            call.killTime = now + settings.options.grace
          }
        }
      }
      state.nextTime = state.calls.values.compactMap(\.nextTime).min()
    }
    reject(consume over, with: timedOut)
    for request in stopped { link.send(Frame(.cancel, request)) }
    guard let stuck else { return }
    // An answer that arrives before the worker is killed counts, also that of this call.
    receive(chunks: 256)
    if link.state.withLock({ $0.calls[stuck.request] != nil }) {
      kill(
        "its function \(stuck.function) did not stop within \(settings.options.grace) after it was asked to",
        isDecision: true)
    }
  }

  /// Unloads the plugin when the link closes and its calls have ended, or the deadline has passed.
  private func checkClosing(_ now: ContinuousClock.Instant) {
    let (isClosing, isIdle, end) = link.state.withLock { ($0.phase == .closing, $0.calls.isEmpty, $0.end) }
    guard isClosing else { return }
    guard stage == .running else {
      if stage == .greeting || stage == .opening || stage == .loading { kill("the host shut down", isDecision: true) }
      return
    }
    guard isIdle || (end ?? now) <= now else { return }
    if isIdle, link.fetchAll(until: now + settings.options.grace) { return }
    reject(link.takeCalls(), with: { closed($0.function) })
    stage = .unloading
    stageEnd = now + settings.options.loadTimeout
    stageBegan = now
    link.send(Frame(.unload))
  }
}
