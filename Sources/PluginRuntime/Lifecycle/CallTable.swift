import Synchronization

/// The calls of a plugin that are not over, by the promise that the function returned. A report of progress finds its
/// calls here, and the host finds the calls to give up when it ends.
final class CallTable: Sendable {
  /// A promise's handle as a number.
  typealias Handle = UInt

  private struct State {
    /// The number of functions that have not returned yet.
    var executing = 0
    var pending: [Handle: [PluginCall]] = [:]
    /// Reports for promises that no function has returned yet.
    var early: [Handle: [Progress]] = [:]
  }

  private let state = Mutex(State())

  /// The newest reports of each promise are kept, within a limit: reports for promises that are never returned use
  /// bounded memory.
  private static let maximumEarly = 64
  private static let maximumEarlyPromises = 1024

  func begin() { state.withLock { $0.executing += 1 } }

  /// Notes that a function has returned without a promise.
  func end() {
    state.withLock { state in
      state.executing -= 1
      if state.executing == 0 { state.early.removeAll() }
    }
  }

  /// Notes that a function has returned a promise. The call gets the earlier reports for delivery. If the promise is
  /// pending, later reports find the call, and are delivered after them.
  func end(_ call: PluginCall, _ promise: Handle, isPending: Bool) {
    state.withLock { state in
      if isPending { state.pending[promise, default: []].append(call) }
      state.executing -= 1
      if state.early.isEmpty { return }
      for progress in state.early.removeValue(forKey: promise) ?? [] { call.keep(progress) }
      if state.executing == 0 { state.early.removeAll() }
    }
  }

  /// Removes a call whose promise is settled.
  func remove(_ call: PluginCall, _ promise: Handle) {
    state.withLock { state in
      guard let index = state.pending.index(forKey: promise) else { return }
      state.pending.values[index].removeAll { $0 === call }
      if state.pending.values[index].isEmpty { state.pending.remove(at: index) }
    }
  }

  /// Returns the calls that a report is for. If there are none yet, keeps it while a function may still return the
  /// promise.
  func calls(for promise: Handle, _ progress: Progress) -> [PluginCall] {
    state.withLock { state in
      if let calls = state.pending[promise] { return calls }
      guard state.executing > 0, state.early[promise] != nil || state.early.count < Self.maximumEarlyPromises else {
        return []
      }
      state.early[promise, default: []].append(progress)
      if state.early[promise, default: []].count > Self.maximumEarly { state.early[promise]?.removeFirst() }
      return []
    }
  }

  var isExecuting: Bool { state.withLock { $0.executing > 0 } }
  var pending: [PluginCall] { state.withLock { $0.pending.values.flatMap { $0 } } }
}
