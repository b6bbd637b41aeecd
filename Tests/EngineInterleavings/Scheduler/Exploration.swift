/// How an operation touches its word.
enum Access {
  case read, write
}

/// What a thread is about to do: an operation on one word. `word` is 0 for a thread that has not begun.
struct Operation {
  var access: Access
  var word: UInt

  /// Whether the order of two operations of different threads makes a difference.
  func conflicts(with other: Operation) -> Bool {
    word == other.word && word != 0 && (access == .write || other.access == .write)
  }
}

/// A set of threads.
struct ThreadSet: Equatable {
  private(set) var bits: UInt8 = 0
  func contains(_ thread: Int) -> Bool { bits & 1 << thread != 0 }
  mutating func insert(_ thread: Int) { bits |= 1 << thread }
  mutating func remove(_ thread: Int) { bits &= ~(1 << thread) }
  func subtracting(_ other: ThreadSet) -> ThreadSet { ThreadSet(bits: bits & ~other.bits) }
  func union(_ other: ThreadSet) -> ThreadSet { ThreadSet(bits: bits | other.bits) }
  var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount }
}

/// Depth-first search through the schedules of a program, by running it again and again with the same beginning.
///
/// Schedules that differ only in the order of operations which do not conflict are the same for the program, and one of
/// them is enough. *Sleep sets* see to that: a thread whose next operation was tried before at an earlier choice sleeps
/// until an operation that conflicts with it has been made.
///
/// Where even those are too many, the search is bounded: to schedules in which so many times at most a thread that could
/// have gone on is made to wait. Most mistakes need one or two such switches.
struct Exploration {
  private struct Choice {
    let ready: ThreadSet
    let next: [Operation]
    let asleep: ThreadSet
    /// The thread that made the operation before, if it could go on.
    let running: Int?
    /// How many times before this choice a thread that could have gone on was made to wait.
    let preemptions: Int
    var tried = ThreadSet()
    var chosen: Int

    var preemptionsAfter: Int { preemptions + (running == nil || running == chosen ? 0 : 1) }
  }

  /// How many times a thread that could go on may be made to wait; nil: any.
  private let preemptionLimit: Int?
  private var path: [Choice] = []
  private var step = 0
  /// The current run repeats another but for the order of operations that do not conflict.
  private(set) var isRedundant = false

  init(preemptionLimit: Int? = nil) { self.preemptionLimit = preemptionLimit }

  /// The threads in the order in which the current run chose them.
  var schedule: String { path.map { "\($0.chosen)" }.joined() }

  /// Chooses which of the `ready` threads makes its `next` operation. `running` is preferred: fewer switches.
  mutating func choose(ready: ThreadSet, next: [Operation], running: Int?) -> Int {
    defer { step += 1 }
    if step < path.count {
      precondition(path[step].ready == ready, "the program does not repeat itself at step \(step) of \(schedule)")
      return path[step].chosen
    }
    // A schedule that is left out for one that is beyond the bound would be missed.
    let asleep = isRedundant || preemptionLimit != nil ? ThreadSet() : sleepers()
    let awake = ready.subtracting(asleep)
    let candidates = awake.first == nil ? ready : awake
    let chosen = running.flatMap { candidates.contains($0) ? $0 : nil } ?? candidates.first!
    if awake.first == nil { isRedundant = true }
    if !isRedundant {
      path.append(
        Choice(
          ready: ready, next: next, asleep: asleep, running: running, preemptions: path.last?.preemptionsAfter ?? 0,
          chosen: chosen))
    }
    return chosen
  }

  private func sleepers() -> ThreadSet {
    guard let last = path.last else { return ThreadSet() }
    var asleep = ThreadSet()
    let before = last.asleep.union(last.tried)
    for thread in last.next.indices
    where before.contains(thread) && !last.next[thread].conflicts(with: last.next[last.chosen]) {
      asleep.insert(thread)
    }
    return asleep
  }

  /// Prepares the next run; false if all have been made.
  mutating func advance() -> Bool {
    step = 0
    isRedundant = false
    while var last = path.popLast() {
      last.tried.insert(last.chosen)
      // At the limit the running thread goes on, and it was the first choice.
      if last.running != nil, let preemptionLimit, last.preemptions >= preemptionLimit { continue }
      if let other = last.ready.subtracting(last.asleep).subtracting(last.tried).first {
        last.chosen = other
        path.append(last)
        return true
      }
    }
    return false
  }
}
