import CPlatform

/// The time of a pacing, in nanoseconds since any moment. Call its functions without a lock.
@safe
package enum PacingClock {
  /// The monotonic clock, and the executor of the timers; nil: the thread for timers.
  case system(CellExecutor?)
  /// A clock of the typed layer: its time, and a function that calls another one after a delay, once, and returns a
  /// function that cancels the call.
  case closures(now: () -> Int64, schedule: (Int64, @escaping @Sendable () -> Void) -> () -> Void)

  var now: Int64 {
    switch self {
    case .system: platform_now()
    case .closures(let now, _): Delivery.callOut(now)
    }
  }
}

/// A timer of a pacing.
@safe
enum PacingTimer {
  case system(CellTimer)
  /// The function that cancels the timer.
  case closure(() -> Void)

  func cancel() {
    switch self {
    case .system(let timer): timer.cancel()
    case .closure(let cancel): Delivery.callOut(cancel)
    }
  }

  func release() { if case .system(let timer) = self { timer.release() } }
}
