import CPluginEdge
import Dispatch
import Glibc
import Synchronization

/// Reads the frames of the host and runs the calls among them on the thread that read them (leader and follower), so
/// that a call which returns soon needs no other thread.
///
/// The leader reads, runs the calls that it has read, and reads again. The follower takes the lead if the leader has
/// not returned to the socket for a whole tick, or if a call of the leader waits for the host: it reads on, and the
/// remaining calls run on threads of the pool. A leader that was replaced becomes the follower when its call has
/// returned; if there is a follower already, its thread ends. Without calls the follower sleeps.
final class FrameServer: Sendable {
  typealias Handler = @Sendable (Frame) throws(FrameError) -> Void

  private struct State {
    /// The number of the leader. A thread with a lower one has been replaced.
    var leader = 0
    /// The leader's thread, while it runs calls.
    var runner: pthread_t?
    /// The number of times that a leader has begun to run calls.
    var rounds = 0
    /// The calls that have not begun; the last one is the next.
    var calls: [CallThreads.Entry] = []
    var hasFollower = false
    /// Whether the follower wakes at each tick.
    var isWatching = false
    /// The number of a leader that the follower is to become.
    var offered: Int?
    /// The number of replaced leaders whose calls have not returned.
    var replaced = 0

    /// Replaces the leader. Returns the number of the next one, and the remaining calls.
    mutating func replaceLeader() -> (number: Int, calls: [CallThreads.Entry]) {
      defer { calls = [] }
      leader += 1
      replaced += 1
      (runner, hasFollower, isWatching) = (nil, false, false)
      return (leader, calls.reversed())
    }
  }

  /// The interval at which the follower checks the leader. The answer of a call that has ended waits at most that long.
  private static let tick = DispatchTimeInterval.microseconds(500)
  /// The number of ticks without calls after which the follower sleeps.
  private static let patience = 8
  /// The time for which answers are held back, to be sent together with those of the next calls.
  private static let heldBack = Duration.microseconds(50)

  private let channel: WorkerChannel
  private let threads: CallThreads
  /// The maximum number of replaced leaders. Beyond it all calls run on threads of the pool.
  private let limit: Int
  private let state = Mutex(State())
  private let wakeup = DispatchSemaphore(value: 0)
  // Set by `start`, before there is a leader.
  @exclusivity(unchecked) nonisolated(unsafe) private var handle: Handler = { _ in }
  // The leader's.
  @exclusivity(unchecked) nonisolated(unsafe) private var stream = FrameStream()

  /// Creates a server. `threads` run the calls that the leader does not run.
  init(_ channel: WorkerChannel, _ threads: CallThreads, limit: Int) {
    (self.channel, self.threads, self.limit) = (channel, threads, limit)
  }

  /// Starts the first leader, which calls `handle` for each frame. Returns false if its thread cannot be started.
  func start(_ handle: @escaping Handler) -> Bool {
    self.handle = handle
    return startThread { 0 }
  }

  /// Adds a call that was read. Called by the handler of frames.
  func add(_ call: @escaping CallThreads.Job) { state.withLock { $0.calls.append(.init(run: call)) } }

  /// Replaces the leader if its call, on this thread, is about to wait for a frame of the host: another thread must
  /// read.
  func willWait() {
    let rest = state.withLock { state -> [CallThreads.Entry]? in
      guard let runner = state.runner, pthread_equal(runner, pthread_self()) != 0 else { return nil }
      let (number, rest) = state.replaceLeader()
      state.offered = number
      return rest
    }
    guard let rest else { return }
    wakeup.signal()
    runElsewhere(rest)
  }

  // MARK: The threads

  private func startThread(_ first: @escaping @Sendable () -> Int) -> Bool {
    ProcessGuard.startThread { [self] in
      let initial = plugin_thread_state()
      var number = first()
      repeat { lead(number, initial) } while becomesFollower(&number)
    }
  }

  /// Reads and runs calls, until the leader of that number is replaced. `initial`: the state of its thread for each
  /// call.
  private func lead(_ number: Int, _ initial: plugin_thread_state_t) {
    repeat { channel.receive(&stream, handle) } while runCalls(number, initial)
  }

  /// Makes a replaced leader, whose call has returned, the follower. Returns false if there is a follower already: then
  /// the thread ends.
  private func becomesFollower(_ number: inout Int) -> Bool {
    let isNeeded = state.withLock { state in
      state.replaced -= 1
      defer { state.hasFollower = true }
      return !state.hasFollower
    }
    if isNeeded { number = follow() }
    return isNeeded
  }

  /// Waits until this thread, the follower, becomes the leader. Returns its number.
  private func follow() -> Int {
    var (seen, quiet) = (-1, 0)
    var isWatching = false
    while true {
      if isWatching { _ = wakeup.wait(timeout: .now() + Self.tick) } else { wakeup.wait() }
      let next = state.withLock { state -> (number: Int, calls: [CallThreads.Entry])? in
        if let number = state.offered {
          state.offered = nil
          return (number, [])
        }
        if state.rounds == seen, state.runner != nil { return state.replaceLeader() }
        quiet = state.rounds == seen ? quiet + 1 : 0
        if quiet == Self.patience { state.isWatching = false }
        (seen, isWatching) = (state.rounds, state.isWatching)
        return nil
      }
      guard let next else { continue }
      runElsewhere(next.calls)
      return next.number
    }
  }

  // MARK: The calls

  /// Runs the calls that the leader has read. Returns false if it has been replaced.
  private func runCalls(_ number: Int, _ initial: plugin_thread_state_t) -> Bool {
    if state.withLock({ $0.calls.isEmpty }) { return true }
    guard ensureFollower() else {
      let calls = state.withLock { state in
        defer { state.calls = [] }
        return state.calls
      }
      runElsewhere(calls)
      return true
    }
    let (count, isAsleep) = state.withLock { state in
      defer { state.isWatching = true }
      state.calls.reverse()
      state.runner = pthread_self()
      state.rounds += 1
      return (state.calls.count, !state.isWatching)
    }
    if isAsleep { wakeup.signal() }
    var corked = count > 1 ? ContinuousClock.now : nil
    if corked != nil { channel.cork() }
    while let call = nextCall(number) {
      call.run()
      withUnsafePointer(to: initial) { plugin_thread_restore($0) }
      if let began = corked, ContinuousClock.now - began > Self.heldBack {
        channel.flush()
        corked = .now
      }
    }
    if corked != nil { channel.uncork() }
    return state.withLock { $0.leader == number }
  }

  private func nextCall(_ number: Int) -> CallThreads.Entry? {
    state.withLock { state in
      guard state.leader == number else { return nil }
      let call = state.calls.popLast()
      if call == nil { state.runner = nil }
      return call
    }
  }

  /// Starts a follower if there is none, to read on if a call does not return. Returns whether there is a follower.
  private func ensureFollower() -> Bool {
    let (hasFollower, isAllowed) = state.withLock { state in
      let hasFollower = state.hasFollower
      let isAllowed = state.replaced < limit
      if isAllowed { state.hasFollower = true }
      return (hasFollower, isAllowed)
    }
    guard isAllowed, !hasFollower else { return isAllowed }
    let isStarted = startThread { [self] in follow() }
    if !isStarted { state.withLock { $0.hasFollower = false } }
    return isStarted
  }

  private func runElsewhere(_ calls: [CallThreads.Entry]) {
    channel.uncork()
    for call in calls { threads.run(call.run) }
  }
}
