import Dispatch
import Promises
import Synchronization

extension IsolatedPlugin {
  /// Calls a function, as `Host.call` does, in the worker with the fewest calls, or in the worker that returned a
  /// handle among the arguments.
  ///
  /// Discarding the promise asks the worker to stop the call. If the function has not returned after
  /// `IsolationOptions.grace`, the worker is killed. `IsolationOptions.limits` may let the call wait first. A request
  /// to cancel the promise is passed to the plugin's promise, and discards a call that has not been sent.
  ///
  /// - Parameters:
  ///   - timeout: the time after which the call is stopped in the same way; `nil` for none. It counts from now on.
  ///   - progress: receives the progress of the call before its promise is settled. Must not wait: it is called on the
  ///     thread that reads what the worker sends.
  public func call(
    _ function: String, _ arguments: [Argument] = [], timeout: Duration?,
    progress: (@Sendable (ProgressReport) -> Void)? = nil
  ) -> Promise<PluginValue> {
    call(function, arguments, timeout, nil, progress)
  }

  private func call(
    _ function: String, _ arguments: [Argument], _ timeout: Duration?, _ use: CallUse?,
    _ progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue> {
    let depth = CallStack.depth
    // Nested calls may run on any thread: the thread of the lane may be waiting for this one.
    let lane = depth == 0 ? SerialThread.currentLane : 0
    let terms = CallTerms(depth: depth, lane: lane, timeout: timeout, use: use, progress: progress)
    if flow.startsAtOnce { return start(function, arguments, terms) }
    let process = state.withLock { $0.active[0] }
    guard let target = process.functions[function] else {
      return .reject(process.description.unknownFunction(function))
    }
    let begin: @Sendable (WaitingCall?) -> Promise<PluginValue> = { [self] waiting in
      start(function, arguments, terms, flow.slot(), waiting)
    }
    let promises = arguments.compactMap { if case .promise(let promise) = $0.content { promise } else { nil } }
    let decision = flow.admit()
    if decision == .start { return begin(nil) }
    guard decision == .waits else { return .reject(refusal(decision, target)) }
    let number = flow.newNumber()
    let call = WaitingCall(awaiting: promises.map(\.id), begin: begin, remove: { [flow] in flow.remove(number) })
    switch flow.admit(call, number: number) {
    case .start: call.start()
    case .waits:
      for process in state.withLock(\.active) { process.link.keepResults(promises) }
      if let timeout { expire(number, function, after: timeout) }
    case let refused: call.promise.reject(refusal(refused, target))
    }
    return call.promise
  }

  private func refusal(_ decision: CallFlow.Decision, _ target: RemoteFunction) -> PluginError {
    if decision == .closed { return closed(target.name) }
    let limits = settings.options.limits
    let waits = limits.whenFull == .wait ? " and \(limits.queue) wait" : ""
    return PluginError(
      .overloaded, target.subject,
      "is not called: \(limits.inFlight) calls of the plugin are under way\(waits), which is the limit")
  }

  /// Starts a call in a worker of the active plugin generation.
  private func start(
    _ name: String, _ arguments: [Argument], _ terms: CallTerms, _ slot: CallSlot? = nil,
    _ waiting: WaitingCall? = nil
  ) -> Promise<PluginValue> {
    let stays = waiting.map { flow.awaits($0.promise) } ?? false
    while true {
      let process = worker(for: arguments, lane: terms.lane)
      guard let function = process.functions[name] else { return .reject(process.description.unknownFunction(name)) }
      if let promise = process.begin(function, arguments, terms, slot: slot, waiting: waiting, stays: stays) {
        return promise
      }
      // If a reload has retired the process meanwhile, a worker of the next plugin generation takes the call.
      let isOver = state.withLock { state in state.isClosed || state.active.contains { $0 === process } }
      if isOver { return .reject(closed(name)) }
    }
  }

  /// Returns the worker that returned a handle among the arguments, or else that of the lane, or else the one that has
  /// the result of a call that is among the arguments, or else the one with the fewest calls.
  private func worker(for arguments: [Argument], lane: UInt64) -> PluginProcess {
    let active = state.withLock(\.active)
    if active.count == 1 { return active[0] }
    for argument in arguments {
      guard case .value(let value) = argument.content, let handle = value.firstHandle else { continue }
      if let owner = active.first(where: { $0.owns(handle) }) { return owner }
    }
    if lane != 0 { return active[Int(lane % UInt64(active.count))] }
    for argument in arguments {
      guard case .promise(let promise) = argument.content else { continue }
      if let producer = active.first(where: { $0.isProducing(promise) }) { return producer }
    }
    return active.map { ($0, $0.pending) }.min { $0.1 < $1.1 }?.0 ?? active[0]
  }

  /// Rejects a call that still waits when its time limit has passed.
  private func expire(_ number: UInt64, _ function: String, after timeout: Duration) {
    let subject = "\(description.id).\(function)"
    DispatchQueue.global().asyncAfter(deadline: .now() + timeout.interval) { [flow] in
      guard let call = flow.remove(number) else { return }
      WorkerLink.deliveries.run {
        call.promise.reject(
          PluginError(.timedOut, subject, "did not end within \(timeout): it waited for other calls"))
      }
    }
  }

  private func closed(_ function: String) -> PluginError {
    PluginError(
      .closed, "\(description.id).\(function)", "is not called any more: its worker process is shut down")
  }
}

extension IsolatedPlugin: RemotePlugin {
  var files: [String] {
    let adoption = description.adoption
    let source = adoption.map(PluginSource.adoption) ?? settings.requestedSource
    return [adoption?.file, source.path].compactMap(\.self).map(PluginFile.absolute)
  }

  func call(
    _ function: String, _ arguments: [Argument], use: CallUse, progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue> {
    call(function, arguments, nil, use, progress)
  }
}

extension PluginValue {
  /// The first handle in the value.
  fileprivate var firstHandle: UInt? {
    switch self {
    case .pointer(let pointer): pointer.isHandle ? pointer.address : nil
    case .array(let elements): elements.lazy.compactMap(\.firstHandle).first
    case .object(let members): members.lazy.compactMap(\.value.firstHandle).first
    default: nil
    }
  }
}
