import Promises
import Synchronization

/// Results that their worker keeps.
extension WorkerLink {
  /// Asks the worker to keep the results of its calls that are among `promises`, which a waiting call takes.
  func keepResults(_ promises: [Promise<PluginValue>]) {
    for promise in promises {
      if let request = state.withLock({ $0.calls.expect(promise) }) { send(Frame(.keep, request)) }
    }
  }

  /// Notes that the worker keeps the result of a call, which it answers. Returns the call; `nil` if it was given up.
  ///
  /// - Throws: `FrameError` if the worker may keep no such result.
  func keep(_ request: UInt64, size: UInt64) throws(FrameError) -> RemoteCall? {
    let (call, mistake) = state.withLock { state -> (RemoteCall?, String?) in
      if state.kept[request] != nil { return (nil, "a result that it keeps already") }
      guard let call = state.calls[request] else { return (nil, nil) }
      // The call stays, and is rejected with the end of the worker.
      guard call.isTaken else { return (nil, "the size of a result that no later call takes") }
      _ = state.remove(request)
      state.kept[request] = KeptResult(call, size: size)
      return (call, nil)
    }
    if let mistake { throw FrameError(description: mistake) }
    return call
  }

  /// Asks the worker for a result that it keeps, or takes the outcome that the host has instead.
  func fetch(_ request: UInt64, for promise: Promise<PluginValue>) {
    let (other, isSent) = state.withLock { state -> (Promise<PluginValue>?, Bool) in
      guard let kept = state.kept[request] else { return (nil, false) }
      state.kept[request] = nil
      if case .host(let other) = kept.place { return (other, false) }
      state.calls.insert(kept.call(settling: promise))
      return (nil, true)
    }
    other?.then({ promise.resolve($0) }, { promise.reject($0) })
    if isSent { askFor(request) }
  }

  /// Changes the state with a promise of the host for each result that the worker keeps. The promises are made without
  /// the lock, because a trace may call a closure of the program. Only the thread that serves the link adds such
  /// results, and it calls this.
  func moveKept<Result>(_ change: (inout State, inout [Promise<PluginValue>]) -> Result) -> Result {
    var promises = (0..<state.withLock { $0.kept.size.count }).map { _ in Promise<PluginValue>() }
    let result = state.withLock { change(&$0, &promises) }
    // The promises that are left were for results that were fetched or dropped meanwhile.
    for promise in promises { promise.discard() }
    return result
  }

  /// Asks a worker that is about to end for all results that it keeps, and gives it at least until `time`. Returns
  /// false if there are none.
  func fetchAll(until time: ContinuousClock.Instant) -> Bool {
    let fetched = moveKept { state, promises in
      let fetched = state.kept.moveToHost(&promises)
      if !fetched.isEmpty { state.end = max(state.end ?? time, time) }
      for call in fetched { state.calls.insert(call) }
      return fetched
    }
    for call in fetched { send(Frame(.fetch, call.request)) }
    return !fetched.isEmpty
  }

  private func askFor(_ request: UInt64) {
    send(Frame(.fetch, request))
    // The thread that serves the link watches for the answer, as for that of a call.
    if state.withLock(\.isAsleep) { wake() }
  }

  /// Drops a result that nobody will read.
  func drop(_ request: UInt64) {
    // Released outside the lock: hooks of the program report a rejected promise that nobody has handled.
    let kept = state.withLock { state in
      defer { state.kept[request] = nil }
      return state.kept[request]
    }
    if case .worker? = kept?.place { send(Frame(.drop, request)) }
  }
}
