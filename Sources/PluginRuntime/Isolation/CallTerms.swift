/// The terms of a call into a worker, which the caller sets.
struct CallTerms: Sendable {
  /// The number of calls that it is nested in.
  let depth: Int
  /// The number of the worker's thread that makes the call; 0: any thread.
  let lane: UInt64
  /// The time limit, and its end.
  let timeout: Duration?
  let deadline: ContinuousClock.Instant?
  /// Counts the call as work of its host until the call has ended.
  let use: CallUse?
  let progress: (@Sendable (ProgressReport) -> Void)?
  /// Whether the worker lives on if the call has not ended by the deadline. The call is given up then.
  let sparesWorker: Bool

  /// Creates terms. The time limit begins now.
  init(
    depth: Int = 0, lane: UInt64 = 0, timeout: Duration? = nil, use: CallUse? = nil,
    progress: (@Sendable (ProgressReport) -> Void)? = nil, sparesWorker: Bool = false
  ) {
    (self.depth, self.lane, self.timeout, self.use, self.progress) = (depth, lane, timeout, use, progress)
    self.sparesWorker = sparesWorker
    deadline = timeout.map { .now + $0 }
  }
}
