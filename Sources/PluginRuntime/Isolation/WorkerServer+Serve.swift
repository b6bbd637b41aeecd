import CPluginEdge
import Glibc
import Synchronization

extension WorkerServer {
  /// Serves the process until it has ended, or has been killed.
  func serve() {
    var hasOutput = true
    var hasSocket = true
    while true {
      let isBlocked = link.flush()
      var waits = [
        pollfd(fd: hasSocket ? process.socket : -1, events: Int16(POLLIN | (isBlocked ? POLLOUT : 0)), revents: 0),
        pollfd(fd: hasOutput ? process.output : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: link.wakeup, events: Int16(POLLIN), revents: 0),
        pollfd(fd: process.pidfd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: confinement?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      poll(&waits, nfds_t(waits.count), timeout())
      // Before the answer of a call that it concerns.
      if waits[4].revents != 0 { watchConfinement(waits[4].revents) }
      if waits[2].revents != 0 { link.takeWakeup() }
      if waits[1].revents != 0 { hasOutput = output.read(process.output, settings.options.output) }
      if waits[0].revents & ~Int16(POLLOUT) != 0, !receive(isLast: false) {
        hasSocket = false
        // A process closes its socket when it ends, which is noticed at once, or else by the deadline.
        if stage != .exiting { expectEnd(within: .milliseconds(500), "closed its socket") }
      }
      if waits[3].revents != 0 || process.pidfd < 0 && plugin_process_has_ended(process.pid) { return }
      checkTimes()
    }
  }

  private func watchConfinement(_ events: Int16) {
    guard let gaps = confinement?.handle(events), !gaps.isEmpty, generation == 1 else { return }
    settings.host.log(
      .warning, settings.id(description), "not enforced on this system: \(gaps.joined(separator: "; "))")
  }

  /// Kills the process, for a reason that its calls report. The first one counts.
  func kill(_ reason: String) {
    if fault == nil { fault = reason }
    stageEnd = nil
    plugin_process_kill(process.pid)
  }

  private func expectEnd(within duration: Duration, _ reason: String) {
    expectation = reason
    stageEnd = .now + duration
  }

  private func timeout() -> Int32 {
    let now = ContinuousClock.now
    let next = link.state.withLock { state in
      if !state.calls.isEmpty { lastBusy = now }
      // A stopped process notifies nobody. So it is looked at while it has calls, and for a while after them: calls one
      // after the other need not wake this thread.
      state.isAsleep = now - lastBusy >= .seconds(1)
      return [
        state.nextTime, state.phase == .closing && stage == .running ? state.end : nil,
        state.isAsleep ? nil : now + .seconds(1),
      ]
    }
    var times = next + [stageEnd]
    // Nor does the end of one without a descriptor.
    if process.pidfd < 0 { times.append(now + .milliseconds(20)) }
    return Self.milliseconds(until: times.compactMap { $0 }.min())
  }

  private func checkTimes() {
    guard fault == nil else { return }
    let now = ContinuousClock.now
    if link.isFull { return kill("it does not read what it is sent") }
    if let stageEnd, stageEnd <= now { return kill(expectation ?? stageFault) }
    checkCalls(now)
    checkClosing(now)
    let isBusy = link.state.withLock { !$0.calls.isEmpty }
    guard fault == nil, isBusy || stage != .running else { return }
    if plugin_process_is_stopped(process.pid) { return kill("it was stopped by a signal") }
    ping(now)
  }

  /// Asks a busy worker each second whether it still reads. One whose descriptors were closed ends by that.
  private func ping(_ now: ContinuousClock.Instant) {
    if let pinged, pinged + settings.options.loadTimeout <= now {
      return kill("it read nothing in \(settings.options.loadTimeout)")
    }
    guard now >= (lastPing ?? now - .seconds(1)) + .seconds(1) else { return }
    lastPing = now
    if pinged == nil { pinged = now }
    link.send(Frame(.ping))
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

  /// Stops the calls whose time is over, and kills a worker that does not stop one.
  private func checkCalls(_ now: ContinuousClock.Instant) {
    var stopped: [UInt64] = []
    var over: [RemoteCall] = []
    var stuck: RemoteCall?
    link.state.withLock { state in
      guard let next = state.nextTime, next <= now else { return }
      for (request, call) in state.calls {
        if let time = call.killTime {
          if time <= now { stuck = call }
        } else if let deadline = call.deadline, deadline <= now {
          if let index = state.unsent.firstIndex(of: request) {
            state.unsent.remove(at: index)
            state.calls[request] = nil
            over.append(call)
          } else {
            state.calls[request]?.timedOut = call.timeout
            state.calls[request]?.killTime = now + settings.options.grace
            stopped.append(request)
          }
        }
      }
      state.nextTime = state.calls.values.compactMap(\.nextTime).min()
    }
    for call in over { reject(call, timedOut(call)) }
    for request in stopped { link.send(Frame(.cancel, request)) }
    if let stuck {
      kill("its function \(stuck.function) did not stop within \(settings.options.grace) after it was asked to")
    }
  }

  /// Unloads the plugin when the link closes and its calls have ended, or their time is over.
  private func checkClosing(_ now: ContinuousClock.Instant) {
    let (isClosing, isIdle, end) = link.state.withLock { ($0.phase == .closing, $0.calls.isEmpty, $0.end) }
    guard isClosing else { return }
    guard stage == .running else {
      if stage == .greeting || stage == .opening || stage == .loading { kill("the host shut down") }
      return
    }
    guard isIdle || (end ?? now) <= now else { return }
    if isIdle, link.fetchAll(until: now + settings.options.grace) { return }
    for call in link.takeCalls() { reject(call, closed(call.function)) }
    stage = .unloading
    stageEnd = now + settings.options.loadTimeout
    link.send(Frame(.unload))
  }
}
