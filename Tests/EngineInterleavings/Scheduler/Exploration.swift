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
struct Exploration {
  private struct Choice {
    let ready: ThreadSet
    let next: [Operation]
    let asleep: ThreadSet
    var tried = ThreadSet()
    var chosen: Int
  }

  private var path: [Choice] = []
  private var step = 0
  /// The current run repeats another but for the order of operations that do not conflict.
  private(set) var isRedundant = false

  /// The threads in the order in which the current run chose them.
  var schedule: String { path.map { "\($0.chosen)" }.joined() }

  /// Chooses which of the `ready` threads makes its `next` operation. `running` is preferred: fewer switches.
  mutating func choose(ready: ThreadSet, next: [Operation], running: Int?) -> Int {
    defer { step += 1 }
    if step < path.count {
      precondition(path[step].ready == ready, "the program does not repeat itself at step \(step) of \(schedule)")
      return path[step].chosen
    }
    let asleep = isRedundant ? ThreadSet() : sleepers()
    let awake = ready.subtracting(asleep)
    let candidates = awake.first == nil ? ready : awake
    let chosen = running.flatMap { candidates.contains($0) ? $0 : nil } ?? candidates.first!
    if awake.first == nil { isRedundant = true }
    if !isRedundant { path.append(Choice(ready: ready, next: next, asleep: asleep, chosen: chosen)) }
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
      if let other = last.ready.subtracting(last.asleep).subtracting(last.tried).first {
        last.chosen = other
        path.append(last)
        return true
      }
    }
    return false
  }
}
