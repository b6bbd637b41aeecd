import Dispatch
import Synchronization

/// Counts the pending calls of a host, and refuses new ones once the host is closed.
///
///     open --drain()--> draining --close()--> closed
///
/// While the host drains, it accepts calls by plugins alone, because pending calls may need them.
final class HostActivity: Sendable {
  enum Phase: Sendable { case open, draining, closed }

  private struct State {
    var phase = Phase.open
    var calls = 0
  }

  private let state = Mutex(State())
  /// Signalled when the last call ends while the host drains.
  private let idle = DispatchSemaphore(value: 0)

  var isOpen: Bool { state.withLock { $0.phase == .open } }

  /// Counts a call that begins; false if the host accepts no more calls.
  func begin() -> Bool {
    state.withLock { state in
      guard state.phase != .closed else { return false }
      state.calls += 1
      return true
    }
  }

  func end() {
    let isLast = state.withLock { state in
      state.calls -= 1
      return state.calls == 0 && state.phase == .draining
    }
    if isLast { idle.signal() }
  }

  /// Waits until no call is under way, at most until the deadline, then refuses new calls. False if it was closed
  /// before.
  func close(deadline: Duration) -> Bool {
    let isFirst = state.withLock { state in
      guard state.phase == .open else { return false }
      state.phase = .draining
      return true
    }
    guard isFirst else { return false }
    let end = DispatchTime.now() + deadline.interval
    while !closeIfIdle(), idle.wait(timeout: end) == .success {}
    state.withLock { $0.phase = .closed }
    return true
  }

  private func closeIfIdle() -> Bool {
    state.withLock { state in
      if state.calls == 0 { state.phase = .closed }
      return state.calls == 0
    }
  }
}

extension Duration {
  /// The duration as Dispatch represents it, in whole nanoseconds; a year if Dispatch cannot express it.
  var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflows, nanoseconds < Int64.max / 2 else { return .seconds(60 * 60 * 24 * 365) }
    return .nanoseconds(max(0, Int(nanoseconds) + Int(attoseconds / 1_000_000_000)))
  }
}
