extension InvalidationToken {
  /// Sets a deadline. When it passes, the token is cancelled but not invalidated, so callbacks still run; a future that
  /// is registered later is asked to cancel at once.
  ///
  /// An earlier deadline stays, so a caller can rely on a deadline that it has read. Tokens that are cancelled with
  /// this one, chained before or after, get no later deadline than this one's.
  ///
  /// - Parameters:
  ///   - seconds: the time from now, in seconds.
  ///   - context: the context in which futures are asked to cancel; `.immediate` stands for `.auto`.
  public func cancel(on context: PromiseContext = .auto, after seconds: Double) {
    let place = context.deferred
    let deadline = CellTimer.deadline(after: Int64(nanosecondsIn: seconds))
    if !core.token.cancel(at: deadline, on: place.executor) { fatalError("no memory for a deadline") }
    withExtendedLifetime(place) {}
  }

  /// The time until the deadline, in seconds; negative if it has passed, nil without a deadline. Work started on behalf
  /// of the token has this much time left.
  public var secondsLeft: Double? { core.token.timeLeft.map { Double($0) / 1e9 } }
}
