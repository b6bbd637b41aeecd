import Synchronization

/// The callbacks that a plugin holds: what is left of them ends with it.
final class CallbackRegistry: Sendable {
  private struct State {
    /// `nil`: about to be made.
    var live: [UInt64: Callback?] = [:]
    var count: UInt64 = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Is told of what goes wrong with one of them when nobody else can be.
  let log: @Sendable (LogLevel, String) -> Void

  init(log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in }) { self.log = log }

  /// A number for a callback that is going to be made.
  func reserve() -> UInt64 {
    state.withLock { state in
      state.count += 1
      if !state.isClosed { state.live.updateValue(nil, forKey: state.count) }
      return state.count
    }
  }

  /// A callback has been made. It may have ended already, on whatever thread, and been removed.
  func add(_ callback: Callback, _ number: UInt64) {
    let isClosed = state.withLock { state in
      if state.live[number] != nil { state.live.updateValue(callback, forKey: number) }
      return state.isClosed
    }
    if isClosed { callback.end(quietly: false) }
  }

  func remove(_ number: UInt64) { state.withLock { _ = $0.live.removeValue(forKey: number) } }

  /// Ends all, and whatever is still to come.
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
