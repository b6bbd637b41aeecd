import Promises
import Synchronization

extension WorkerLink {
  /// Stops new calls. Those under way have until `end`, or until the end of an earlier call of this function if that
  /// comes first.
  func beginClosing(end: ContinuousClock.Instant) {
    state.withLock { state in
      switch state.phase {
      case .waiting, .open: (state.phase, state.end) = (.closing, end)
      case .closing: state.end = min(state.end ?? end, end)
      case .closed: break
      }
    }
    wake()
  }

  /// Has the worker of a generation killed, if it has not ended, for a reason that its calls report. Calls from now on
  /// wait for the next one.
  func kill(_ generation: Int, _ reason: String) {
    state.withLock { state in
      if state.generation == generation, state.phase == .open { (state.killReason, state.phase) = (reason, .waiting) }
    }
    wake()
  }

  /// Ends the link forever. Returns the calls that were left.
  func close() -> [RemoteCall] {
    state.withLock { $0.phase = .closed }
    return takeCalls()
  }

  /// Removes and returns all calls, with those whose results the worker keeps. Their answers will be ignored.
  func takeCalls() -> [RemoteCall] {
    moveKept { state, promises in
      defer { state.unsent = [] }
      return state.calls.sorted.compactMap { state.remove($0.request) } + state.kept.moveToHost(&promises)
    }
  }
}
