/// Something that is done when some time is over, unless it is called off.
final class Alarm {
  /// Nil if there was no memory or no thread for it: the work was released at once.
  private let timer: CellTimer?

  /// - Parameters:
  ///   - seconds: the time; none for a negative number.
  ///   - place: where `work` is done, as `PromiseContext.deferred` gives it.
  init(after seconds: Double, on place: PromiseContext, _ work: @escaping () -> Void) {
    timer = CellTimer.schedule(after: Int64(nanosecondsIn: seconds), on: place.executor, work)
    withExtendedLifetime(place) {}
  }

  /// Releases the work at once, undone, if its time has not come.
  func callOff() { timer?.cancel() }

  deinit { timer?.release() }
}

extension Int64 {
  /// A span of time as the engine counts it: none for a negative number or none, as long as can be for one too large.
  init(nanosecondsIn seconds: Double) {
    let nanoseconds = seconds * 1e9
    self = nanoseconds > 0 ? Int64(exactly: nanoseconds.rounded(.up)) ?? .max : 0
  }
}
