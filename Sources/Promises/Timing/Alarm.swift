/// A one-shot timer that can be cancelled.
package final class Alarm: Sendable {
  private let timer: CellTimer

  /// Schedules `work`. Traps if memory or threads have run out: without the trap, a time limit would silently be lost.
  ///
  /// - Parameters:
  ///   - seconds: the delay; a negative number counts as 0.
  ///   - place: the context in which `work` runs, a result of `PromiseContext.deferred`.
  convenience init(after seconds: Double, on place: PromiseContext, _ work: @escaping () -> Void) {
    self.init(after: seconds, on: place.executor, work)
    withExtendedLifetime(place) {}
  }

  /// Schedules `work` on an executor of the engine; nil stands for a thread for timers.
  package init(after seconds: Double, on executor: CellExecutor?, _ work: @escaping () -> Void) {
    guard let timer = CellTimer.schedule(after: Int64(nanosecondsIn: seconds), on: executor, work) else {
      fatalError("no memory for a timer")
    }
    self.timer = timer
  }

  /// Cancels the timer: releases the work at once, unless the time has passed.
  package func cancel() { timer.cancel() }

  /// Cancels the timer when `promise` is settled or destroyed, without waiting for that.
  func cancel(atEndOf promise: CellRef) {
    let context = unsafe Context(Unmanaged.passRetained(self).toOpaque()) {
      unsafe Unmanaged<Alarm>.fromOpaque($0!).takeRetainedValue().cancel()
    }
    if !promise.keep(context) { fatalError("no memory for a callback") }
  }

  deinit { timer.release() }
}

extension Int64 {
  /// Converts a duration to the engine's nanoseconds, rounded up. A negative duration or NaN is 0, and one too large is
  /// `.max`.
  init(nanosecondsIn seconds: Double) {
    let nanoseconds = seconds * 1e9
    self = nanoseconds > 0 ? Int64(exactly: nanoseconds.rounded(.up)) ?? .max : 0
  }
}
