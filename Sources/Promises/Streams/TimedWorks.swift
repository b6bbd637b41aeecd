/// Work that waits for its time, in the order of the times, then of the calls of `add`. Not thread-safe.
struct TimedWorks {
  typealias Work = @Sendable () -> Void
  private typealias Entry = (time: Duration, number: Int, run: Work)

  private var entries: [Entry] = []
  private var lastNumber = 0

  var count: Int { entries.count }
  /// The time of the first work.
  var nextTime: Duration? { entries.first?.time }

  /// Adds work, and returns its number.
  mutating func add(at time: Duration, _ work: @escaping Work) -> Int {
    lastNumber += 1
    let index = entries.firstIndex { $0.time > time } ?? entries.endIndex
    entries.insert((time, lastNumber, work), at: index)
    return lastNumber
  }

  /// Removes the work with that number, and returns it, so that it can be released outside a lock.
  mutating func remove(_ number: Int) -> Work? {
    entries.firstIndex { $0.number == number }.map { entries.remove(at: $0).run }
  }

  /// Removes and returns the first work that is due at a time.
  mutating func takeFirst(dueAt time: Duration) -> (time: Duration, run: Work)? {
    guard let first = entries.first, first.time <= time else { return nil }
    entries.removeFirst()
    return (first.time, first.run)
  }
}

/// State that a monitor of the engine guards. Not a `Mutex` of Synchronization, which the thread sanitizer does not
/// know.
final class LockedState<State>: Sendable {
  private nonisolated(unsafe) let guarded: Guarded<State>

  init(_ state: State) {
    guard let made = unsafe Guarded.make(state, inChild: { _ in }) else { fatalError("no memory for a lock") }
    unsafe guarded = made
  }

  deinit {
    unsafe guarded.state.deinitialize(count: 1)
    unsafe guarded.free()
  }

  /// Calls `body`, which must not call code of the user.
  func locked<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe guarded.locked { unsafe body(&$0.pointee) }
  }
}
