import Glibc
import PluginRuntime
import Synchronization

/// While this exists, SIGINT, SIGTERM and SIGHUP are recorded instead of ending the process. The second signal of a
/// kind ends it immediately, even while a plugin's function runs.
///
///     default --init--> noting --a signal comes--> default, until the next init; the others stay noted
///                         \--restore(), no signal came--> default
///
/// Signals that the parent ignores stay ignored: those of a program that nohup or a shell started in the background.
/// Code of plugins in this process may change dispositions at any time; `restoreDispositions()` undoes that.
struct TerminationSignals: ~Copyable {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let ignored = Set(signals.filter { SignalAction(of: $0) == .ignored })

  /// Notes which signals the parent ignores, before code of a plugin can run.
  static func record() { _ = ignored }

  /// Starts to record signals. Each signal also writes a byte to `descriptor`, which must not block. With
  /// `besidesInterrupts`, SIGINT is left to `Interrupts`.
  init(waking descriptor: Int32, besidesInterrupts: Bool = false) {
    let signals = Self.signals.filter { !Self.ignored.contains($0) && !(besidesInterrupts && $0 == SIGINT) }
    seen.store(0, ordering: .relaxed)
    wakeup.store(descriptor, ordering: .releasing)
    watched.store(signals.reduce(0) { $0 | bit($1) }, ordering: .releasing)
    // A parent that starts this process from a thread with blocked signals, such as one of libdispatch, passes on that
    // mask.
    Self.unblock(signals)
    Self.restoreDispositions()
  }

  /// Whether a signal arrived that nobody has taken.
  static var isNoted: Bool { noted.load(ordering: .acquiring) != 0 }

  /// Takes the first signal that arrived; nil if none did. A signal that is not taken is kept for the next of these
  /// objects.
  func take() -> Int32? {
    let signal = noted.exchange(0, ordering: .acquiringAndReleasing)
    return signal == 0 ? nil : signal
  }

  /// Restores the default handlers if no signal has arrived. The descriptor may be closed afterwards.
  ///
  /// If a signal has arrived, the process is about to end, which signals of other kinds must not cut short. So these
  /// stay recorded, and the descriptor must stay open.
  func restore() {
    guard seen.load(ordering: .acquiring) == 0 else { return }
    watched.store(0, ordering: .releasing)
    Self.restoreDispositions()
    wakeup.store(-1, ordering: .releasing)
  }

  /// Undoes changes of dispositions, so that the signals end the process and failed writes do not.
  ///
  /// [any thread]
  static func restoreDispositions() {
    for signal in signals {
      let action = expected(signal)
      if SignalAction(of: signal) != action { action.install(for: signal) }
    }
    SignalAction.catchWriteSignals()
  }

  private static func expected(_ signal: Int32) -> SignalAction {
    if signal == SIGINT, Interrupts.isInstalled { return Interrupts.action }
    if ignored.contains(signal) { return .ignored }
    let isNoted = watched.load(ordering: .acquiring) & ~seen.load(ordering: .acquiring) & bit(signal) != 0
    return isNoted ? .init(note, isOnce: true) : .standard
  }

  /// Ends the process by `signal`, as the sender of the signal expects: a shell then stops the script that runs this
  /// process.
  static func die(by signal: Int32) -> Never {
    SignalAction.standard.install(for: signal)
    unblock([signal])
    raise(signal)
    ProcessGuard.ending(128 + signal)
    _exit(128 + signal)
  }

  static func unblock(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Writes a byte to the descriptor, unless it is -1. Async-signal-safe.
  static func wake(_ descriptor: Int32) {
    var byte: UInt8 = 0
    if descriptor >= 0 { _ = write(descriptor, &byte, 1) }
  }
}

private let noted = Atomic<Int32>(0)
private let wakeup = Atomic<Int32>(-1)
/// The recorded signals, and those of them that have arrived, as bits.
private let watched = Atomic<UInt64>(0)
private let seen = Atomic<UInt64>(0)

private func bit(_ signal: Int32) -> UInt64 { 1 << UInt64(signal) }

/// The handler. It uses only atomics and write(2), which are async-signal-safe.
private func note(_ signal: Int32) {
  let saved = errno
  seen.bitwiseOr(bit(signal), ordering: .acquiringAndReleasing)
  _ = noted.compareExchange(expected: 0, desired: signal, ordering: .acquiringAndReleasing)
  TerminationSignals.wake(wakeup.load(ordering: .acquiring))
  errno = saved
}
