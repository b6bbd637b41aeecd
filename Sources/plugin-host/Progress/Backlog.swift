/// Jobs of one source, such as the log of a plugin, that wait for the main thread.
///
/// A plugin may log faster than the main thread writes. So at most `limit` jobs wait. Beyond that the source adds to
/// the excess, until all jobs that wait have run.
struct Backlog<Excess: Sendable>: Sendable {
  private var waiting = 0
  private var excess: Excess?

  /// The maximum number of jobs that wait.
  static var limit: Int { 1_000 }

  /// Counts a job, which the caller then posts. Returns false if the job must not be posted, and is part of the excess.
  mutating func enter(otherwise add: (Excess?) -> Excess) -> Bool {
    guard excess == nil, waiting < Self.limit else {
      excess = add(excess)
      return false
    }
    waiting += 1
    return true
  }

  /// Counts the end of a job. Returns the excess after the last one.
  mutating func leave() -> Excess? {
    waiting -= 1
    guard waiting == 0 else { return nil }
    defer { excess = nil }
    return excess
  }
}
