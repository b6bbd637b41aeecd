import Glibc
import Synchronization

/// The main thread's loop: it runs posted actions and timers, and sees the signals that ask the process to end.
///
/// Code that decides or prints runs here, one action at a time; code that may block runs on `CallThreads`.
@MainActor
final class MainLoop {
  private let inbox: Inbox
  private var timers: [Timer] = []
  private var nextTimer = 0
  /// Whether `Interrupts` has SIGINT, which does not end `run` then.
  var notesInterrupts = false

  /// Whether code of plugins runs in this process, where it may change the dispositions of signals.
  var reclaimsSignals = false
  /// The longest time for which a change of a signal's disposition is not noticed.
  private static let signalPeriod = Duration.milliseconds(100)

  /// The descriptor to which a byte is written to wake the loop. It does not block.
  nonisolated var wakeup: Int32 { inbox.wakeup }

  private struct Timer {
    var id: Int
    var deadline: ContinuousClock.Instant
    var action: @MainActor () -> Void
  }

  init() throws(SystemError) {
    inbox = try Inbox()
  }

  /// Runs `job` on the main thread, after everything posted before. From any thread.
  nonisolated func post(_ job: @escaping @MainActor @Sendable () -> Void) {
    inbox.append(job)
  }

  /// Runs `action` once, when `delay` has passed. Returns the argument for `cancel`.
  @discardableResult
  func after(_ delay: Duration, _ action: @escaping @MainActor () -> Void) -> Int {
    nextTimer += 1
    timers.append(Timer(id: nextTimer, deadline: .now + delay, action: action))
    return nextTimer
  }

  /// Forgets a timer; does nothing if it has run.
  func cancel(timer id: Int) {
    timers.removeAll { $0.id == id }
  }

  /// Runs the posted actions, without waiting for more.
  func runPosted() {
    for job in inbox.drain() { job() }
  }

  /// Runs until `done` is true, or until a signal asks the process to end: that signal is returned then.
  func run(until done: () -> Bool) -> Int32? { run(until: done, orReadable: nil) }

  /// Runs until `done` is true, until `descriptor` can be read, or until a signal asks the process to end, which is
  /// returned then.
  func run(until done: () -> Bool, orReadable descriptor: Int32?) -> Int32? {
    let signals = TerminationSignals(waking: inbox.wakeup, besidesInterrupts: notesInterrupts)
    defer { signals.restore() }
    while !done() {
      if let signal = signals.received { return signal }
      let isReadable = inbox.wait(until: nextWakeup(), reading: descriptor)
      if reclaimsSignals { TerminationSignals.reclaim() }
      runPosted()
      runDueTimers()
      if isReadable { return nil }
    }
    return nil
  }

  private func nextWakeup() -> ContinuousClock.Instant? {
    let next = timers.map(\.deadline).min()
    guard reclaimsSignals else { return next }
    let limit = ContinuousClock.now + Self.signalPeriod
    return min(next ?? limit, limit)
  }

  private func runDueTimers() {
    let now = ContinuousClock.now
    let due = timers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
    // An action may cancel a timer that is due with it.
    for timer in due where timers.contains(where: { $0.id == timer.id }) {
      cancel(timer: timer.id)
      timer.action()
    }
  }
}

/// The work that other threads post to the main thread, and the pipe that wakes it.
private final class Inbox: Sendable {
  typealias Job = @MainActor @Sendable () -> Void

  /// A byte written here ends a sleep. Neither end blocks: a full pipe wakes as well as one byte does.
  let wakeup: Int32
  private let sleep: Int32
  private let jobs = Mutex<[Job]>([])

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (sleep, wakeup) = (ends[0], ends[1])
  }

  deinit {
    close(sleep)
    close(wakeup)
  }

  func append(_ job: @escaping Job) {
    let wasEmpty = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if wasEmpty { _ = write(wakeup, [0], 1) }
  }

  func drain() -> [Job] {
    jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
  }

  /// Sleeps until there is a job, a signal, or `deadline` has come. Returns whether `descriptor` can be read.
  func wait(until deadline: ContinuousClock.Instant?, reading descriptor: Int32?) -> Bool {
    // poll(2) ignores a negative descriptor.
    var ready = [sleep, descriptor ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = poll(&ready, nfds_t(ready.count), deadline.map { milliseconds(until: $0) } ?? -1)
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(sleep, &bytes, bytes.count) == bytes.count {}
    return count > 0 && ready[1].revents != 0
  }

  /// Rounded up, so that a deadline has come when the sleep is over.
  private func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    let left = (deadline - .now) / .milliseconds(1)
    return Int32(min(max(left.rounded(.up), 0), 3_600_000))
  }
}
