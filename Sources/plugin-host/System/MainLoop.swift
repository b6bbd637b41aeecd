import Glibc
import PluginRuntime
import Promises

/// The main thread's loop: it runs posted actions, timers, and jobs that plugins submit to the main executor, and
/// handles the signals that ask the process to end.
///
/// Code that decides or prints runs here, one action at a time; code that may block runs on `CallThreads`.
@MainActor
final class MainLoop {
  private nonisolated let thread: MainThread
  private nonisolated let signalPipe: SignalPipe
  /// Whether `Interrupts` handles SIGINT, which then does not end `run`.
  var notesInterrupts = false

  /// Whether code of plugins runs in this process, where it may change the dispositions of signals.
  var restoresSignals = false
  /// The longest time for which a change of a signal's disposition is not noticed.
  private static let signalPeriod = Duration.milliseconds(100)

  /// The descriptor to which a signal handler writes a byte to wake the loop. It does not block.
  nonisolated var wakeup: Int32 { signalPipe.writeEnd }

  init() throws(SystemError) {
    signalPipe = try SignalPipe()
    guard let thread = MainThread() else { throw .last }
    self.thread = thread
  }

  /// Runs `job` on the main thread, after everything posted before. Call from any thread.
  nonisolated func post(_ job: @escaping @MainActor @Sendable () -> Void) {
    thread.post { MainActor.assumeIsolated(job) }
  }

  /// Runs `action` once, when `delay` has passed, unless the alarm is cancelled before. Call from any thread.
  @discardableResult
  nonisolated func after(_ delay: Duration, _ action: @escaping @MainActor @Sendable () -> Void) -> Alarm {
    thread.after(delay) { MainActor.assumeIsolated(action) }
  }

  /// Runs the posted actions, without waiting for more.
  func runPosted() { thread.runOnce() }

  /// Runs until `done` is true, or until a signal asks the process to end. Returns that signal.
  func run(until done: () -> Bool) -> Int32? { run(until: done, orReadable: nil) }

  /// The signals that ended a run.
  private var received: Set<Int32> = []

  /// Runs until `done` is true, or until a signal asks the process to end at once. Returns that signal. After a first
  /// signal, only a second one of the same kind does so.
  func runEnding(until done: () -> Bool) -> Int32? {
    while true {
      let earlier = received
      guard let signal = run(until: done) else { return nil }
      if earlier.isEmpty || earlier.contains(signal) { return signal }
    }
  }

  /// Runs until `done` is true, until `descriptor` can be read, or until a signal asks the process to end. Returns that
  /// signal.
  func run(until done: () -> Bool, orReadable descriptor: Int32?) -> Int32? {
    recordingSignals { wait(until: done, orReadable: descriptor) }.signal
  }

  /// Runs `body` while the signals that ask the process to end are recorded. Returns its result, and the first signal
  /// that arrived.
  func recordingSignals<T>(_ body: () -> T) -> (result: T, signal: Int32?) {
    let signals = TerminationSignals(waking: wakeup, besidesInterrupts: notesInterrupts)
    let result = body()
    // After restore() no first signal is recorded, so take() misses none.
    signals.restore()
    let signal = signals.take()
    if let signal { received.insert(signal) }
    return (result, signal)
  }

  private func wait(until done: () -> Bool, orReadable descriptor: Int32?) {
    while !done(), !TerminationSignals.isNoted {
      let limit = restoresSignals ? Self.signalPeriod : nil
      let isReadable = thread.wait(reading: [descriptor ?? -1, signalPipe.readEnd], atMost: limit)[0]
      if restoresSignals { TerminationSignals.restoreDispositions() }
      signalPipe.drain()
      thread.runOnce()
      if isReadable { return }
    }
  }
}

/// The pipe by which signal handlers end a sleep. Neither end blocks: a full pipe wakes the loop as well as one byte
/// does.
private final class SignalPipe: Sendable {
  let readEnd: Int32
  let writeEnd: Int32

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(readEnd, &bytes, bytes.count) == bytes.count {}
  }
}
