import Synchronization

/// The live callbacks of a plugin, which are ended when the plugin is unloaded.
final class CallbackRegistry: Sendable {
  private struct State {
    /// `nil` for a reserved number whose callback is not made yet.
    var live: [UInt64: Callback?] = [:]
    var count: UInt64 = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Logs problems of callbacks that cannot be reported to a caller.
  let log: @Sendable (LogLevel, String) -> Void

  init(log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in }) { self.log = log }

  /// Reserves a number for a new callback.
  func reserve() -> UInt64 {
    state.withLock { state in
      state.count += 1
      if !state.isClosed { state.live.updateValue(nil, forKey: state.count) }
      return state.count
    }
  }

  /// Adds a new callback. It may already have ended, on any thread, and have been removed.
  func add(_ callback: Callback, _ number: UInt64) {
    let isClosed = state.withLock { state in
      if state.live[number] != nil { state.live.updateValue(callback, forKey: number) }
      return state.isClosed
    }
    if isClosed { callback.end(quietly: false) }
  }

  func remove(_ number: UInt64) { state.withLock { _ = $0.live.removeValue(forKey: number) } }

  /// Ends all callbacks, and those that are added later.
  func close() {
    let live = state.withLock { state in
      state.isClosed = true
      defer { state.live = [:] }
      return state.live
    }
    for callback in live.values { callback?.end(quietly: false) }
  }

  var count: Int { state.withLock(\.live.count) }
}
