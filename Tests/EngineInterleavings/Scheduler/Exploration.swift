/// The kind of access of an operation to its word.
enum Access {
  case read, write
}

/// The next operation of a thread, on one word. `word` is 0 for a thread that has not begun.
struct Operation {
  var access: Access
  var word: UInt

  /// Whether two operations of different threads conflict: their order makes a difference.
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
  /// Returns the numbers below `count`.
  static func below(_ count: Int) -> ThreadSet { ThreadSet(bits: UInt8(truncatingIfNeeded: 1 << count - 1)) }
  func subtracting(_ other: ThreadSet) -> ThreadSet { ThreadSet(bits: bits & ~other.bits) }
  func union(_ other: ThreadSet) -> ThreadSet { ThreadSet(bits: bits | other.bits) }
  var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount }
}

/// Depth-first search through the schedules of a program, by running it repeatedly with a common prefix.
///
/// Schedules that differ only in the order of non-conflicting operations are equivalent, and one of them is enough.
/// *Sleep sets* prune the others: a thread whose next operation was tried at an earlier choice sleeps until a
/// conflicting operation has been made.
///
/// If even those are too many, the search is bounded: it covers the schedules with a limited number of preemptions.
/// Most bugs need one or two. With a bound, a load may return an older value than the latest too; that counts as a
/// preemption.
struct Exploration {
  private struct Choice {
    let ready: ThreadSet
    let next: [Operation]
    let asleep: ThreadSet
    /// The thread of the previous operation, if it was ready to continue.
    let running: Int?
    /// The number of preemptions before this choice.
    let preemptions: Int
    var tried = ThreadSet()
    /// The thread, or the age of the value that it loads.
    var chosen: Int
    var isAge = false

    var preemptionsAfter: Int { preemptions + (running == nil || running == chosen ? 0 : 1) }
  }

  /// The largest number of preemptions in a schedule; nil: unlimited.
  private let preemptionLimit: Int?
  private var path: [Choice] = []
  private var step = 0
  /// Whether the current run is equivalent to an earlier one.
  private(set) var isRedundant = false

  init(preemptionLimit: Int? = nil) { self.preemptionLimit = preemptionLimit }

  /// The threads in the order in which the current run chose them; the age of a value in brackets.
  var schedule: String { path.map { $0.isAge ? $0.chosen == 0 ? "" : "(\($0.chosen))" : "\($0.chosen)" }.joined() }

  /// Chooses one of the `ready` threads to make its `next` operation. `running` is preferred, to minimize switches.
  mutating func choose(ready: ThreadSet, next: [Operation], running: Int?) -> Int {
    defer { step += 1 }
    if step < path.count {
      precondition(path[step].ready == ready, "the program does not repeat itself at step \(step) of \(schedule)")
      return path[step].chosen
    }
    // Pruning a schedule in favour of one beyond the bound would lose it.
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

  /// Chooses the age of the value that the running thread loads, below `count`: the number of stores that have
  /// overwritten the value.
  mutating func chooseAge(of count: Int) -> Int {
    guard preemptionLimit != nil else { return 0 }
    defer { step += 1 }
    if step < path.count {
      precondition(path[step].isAge, "the program does not repeat itself at step \(step) of \(schedule)")
      return path[step].chosen
    }
    path.append(
      Choice(
        ready: .below(count), next: [], asleep: ThreadSet(), running: 0, preemptions: path.last?.preemptionsAfter ?? 0,
        chosen: 0, isAge: true))
    return 0
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

  /// Prepares the next run; false if the search is complete.
  mutating func advance() -> Bool {
    step = 0
    isRedundant = false
    while var last = path.popLast() {
      last.tried.insert(last.chosen)
      // At the limit the running thread continues; it was the first choice.
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
