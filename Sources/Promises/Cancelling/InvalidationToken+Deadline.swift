extension InvalidationToken {
  /// Gives the token a deadline: when the time is over, it is cancelled without being invalidated, so that everybody hears
  /// of it; a future that is registered later is asked at once.
  ///
  /// An earlier deadline stays, so whoever has read one can count on it. Tokens that are chained to this one, before or
  /// after, and go when it is cancelled, have no later deadline than this one's.
  ///
  /// - Parameters:
  ///   - seconds: the time, from now.
  ///   - context: where futures are asked to cancel; `.immediate` stands for `.auto`.
  public func cancel(on context: PromiseContext = .auto, after seconds: Double) {
    let place = context.deferred
    let deadline = CellTimer.deadline(after: Int64(nanosecondsIn: seconds))
    if !core.token.cancel(at: deadline, on: place.executor) { fatalError("no memory for a deadline") }
    withExtendedLifetime(place) {}
  }

  /// How long it is until the deadline, in seconds, for work that is to be given so much time; negative if it has passed,
  /// nil if there is none.
  public var secondsLeft: Double? { core.token.timeLeft.map { Double($0) / 1e9 } }
}
