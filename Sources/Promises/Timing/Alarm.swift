/// A one-shot timer that can be cancelled.
package final class Alarm: Sendable {
  private let timer: CellTimer?
  /// Cancels the timer of another clock.
  private let stop: @Sendable () -> Void

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
    stop = {}
  }

  /// Makes an alarm of the timer of another clock, which `stop` cancels.
  init(_ stop: @escaping @Sendable () -> Void) {
    timer = nil
    self.stop = stop
  }

  /// Returns a function that schedules work for a timeout; nil if there is no time left.
  static func making(after seconds: Double, on context: PromiseContext) -> ((@escaping () -> Void) -> Alarm)? {
    seconds > 0 ? { Alarm(after: seconds, on: context.deferred.reserved(), $0) } : nil
  }

  /// Cancels the timer: releases the work at once, unless the time has passed.
  package func cancel() {
    timer?.cancel()
    stop()
  }

  /// Cancels the timer when `promise` is settled or destroyed, without waiting for that.
  func cancel(atEndOf promise: CellRef) {
    let context = unsafe Context(Unmanaged.passRetained(self).toOpaque()) {
      unsafe Unmanaged<Alarm>.fromOpaque($0!).takeRetainedValue().cancel()
    }
    if !promise.keep(context) { fatalError("no memory for a callback") }
  }

  deinit { timer?.release() }
}

extension Int64 {
  /// Converts a duration to the engine's nanoseconds, rounded up. A negative duration or NaN is 0, and one too large is
  /// `.max`.
  init(nanosecondsIn seconds: Double) {
    let nanoseconds = seconds * 1e9
    self = nanoseconds > 0 ? Int64(exactly: nanoseconds.rounded(.up)) ?? .max : 0
  }
}
