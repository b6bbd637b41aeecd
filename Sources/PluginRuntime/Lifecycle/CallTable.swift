import Dispatch
import Synchronization

/// The calls of a plugin that are not over, by the promise that the function returned. A report of progress finds its
/// calls here, and the host finds the calls to give up when it ends.
///
///     open --beginClosing()--> closing --close(): none of the plugin's code runs--> closed: no function is called
final class CallTable: Sendable {
  /// A promise's handle as a number.
  typealias Handle = UInt

  private struct State {
    /// The number of functions that have not returned yet.
    var executing = 0
    /// The number of discard blocks, and of handlers of requests to cancel, that have not returned yet.
    var handlers = 0
    var isClosing = false
    var isClosed = false
    var pending: [Handle: [PluginCall]] = [:]
    /// Reports for promises that no function has returned yet.
    var early: [Handle: [Progress]] = [:]
  }

  private let state = Mutex(State())

  /// The newest reports of each promise are kept, within a limit: reports for promises that are never returned use
  /// bounded memory.
  private static let maximumEarly = 64
  private static let maximumEarlyPromises = 1024

  /// Signalled when the last handler has returned while the plugin is closing.
  private let idle = DispatchSemaphore(value: 0)

  /// Counts a function that is about to be called; false if the plugin is closed, so that it must not be called.
  func begin() -> Bool {
    state.withLock { state in
      if !state.isClosed { state.executing += 1 }
      return !state.isClosed
    }
  }

  /// Notes that a function has returned without a promise.
  func end() {
    state.withLock { state in
      state.executing -= 1
      if state.executing == 0 { state.early.removeAll() }
    }
  }

  /// Notes that a function has returned a promise. The call gets the earlier reports for delivery. If the promise is
  /// pending, later reports find the call, and are delivered after them.
  ///
  /// - Returns: whether the promise is pending, and the pending calls have been given up. Then the caller gives this
  ///   one up, too, and calls `endHandler()`.
  @discardableResult
  func end(_ call: PluginCall, _ promise: Handle, isPending: Bool) -> Bool {
    state.withLock { state in
      if isPending { state.pending[promise, default: []].append(call) }
      state.executing -= 1
      let isLate = isPending && state.isClosing
      if isLate { state.handlers += 1 }
      if state.early.isEmpty { return isLate }
      for progress in state.early.removeValue(forKey: promise) ?? [] { call.keep(progress) }
      if state.executing == 0 { state.early.removeAll() }
      return isLate
    }
  }

  /// Counts a discard block, or a handler of a request to cancel, that is about to run.
  func beginHandler() { state.withLock { $0.handlers += 1 } }

  func endHandler() {
    let isLast = state.withLock { state in
      state.handlers -= 1
      return state.handlers == 0 && state.isClosing
    }
    if isLast { idle.signal() }
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

  /// The calls whose promises are pending.
  var pending: [PluginCall] { state.withLock { $0.pending.values.flatMap { $0 } } }

  /// Returns the pending calls, to be given up. Calls that become pending later are given up by `end`'s caller.
  func beginClosing() -> [PluginCall] {
    state.withLock { $0.isClosing = true }
    return pending
  }

  /// Refuses functions from now on, if none of the plugin's code runs. Handlers have until the deadline to return;
  /// functions have had their time.
  ///
  /// - Returns: false if code of the plugin runs. Then nothing changes.
  func close(deadline: DispatchTime) -> Bool {
    while true {
      let (isExecuting, isClosed) = state.withLock { state in
        state.isClosed = state.executing == 0 && state.handlers == 0
        return (state.executing > 0, state.isClosed)
      }
      if isClosed { return true }
      if isExecuting || idle.wait(timeout: deadline) == .timedOut { return false }
    }
  }
}
