import Glibc
import Synchronization

/// While it exists, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process. The second signal of a kind
/// ends it at once, even while a plugin's function runs.
struct TerminationSignals: ~Copyable {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private let previous: [(signal: Int32, action: sigaction)]

  /// Each signal also writes a byte to `descriptor`, which must not block. SIGINT may be another's.
  init(waking descriptor: Int32, besidesInterrupts: Bool = false) {
    let signals = besidesInterrupts ? Self.signals.filter { $0 != SIGINT } : Self.signals
    noted.store(0, ordering: .relaxed)
    wakeup.store(descriptor, ordering: .releasing)
    // A parent that starts us from a thread which blocks signals, such as one of libdispatch's, hands that down.
    Self.unblock(signals)
    previous = signals.compactMap { signal in
      var current = sigaction()
      sigaction(signal, nil, &current)
      // A shell that started us in the background ignores SIGINT for us, nohup SIGHUP: let it be.
      if unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == ignored { return nil }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { note($0) }
      action.sa_flags = SA_RESTART | Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(signal, &action, nil)
      return (signal, current)
    }
  }

  /// The first signal that came.
  var received: Int32? {
    let signal = noted.load(ordering: .acquiring)
    return signal == 0 ? nil : signal
  }

  /// Restores the former handlers of the signals. The descriptor may be closed afterwards.
  func restore() {
    for (signal, var action) in previous { sigaction(signal, &action, nil) }
    wakeup.store(-1, ordering: .releasing)
  }

  /// Ends the process by `signal`, as its sender expects: a shell that runs a script stops it then.
  static func die(by signal: Int32) -> Never {
    Glibc.signal(signal, SIG_DFL)
    unblock([signal])
    raise(signal)
    _exit(128 + signal)
  }

  private static func unblock(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}

/// SIG_IGN, which is a cast that Swift does not import.
private let ignored = 1

private let noted = Atomic<Int32>(0)
private let wakeup = Atomic<Int32>(-1)

/// The handler: only atomics and write(2), which are safe in one.
private func note(_ signal: Int32) {
  let saved = errno
  _ = noted.compareExchange(expected: 0, desired: signal, ordering: .acquiringAndReleasing)
  let descriptor = wakeup.load(ordering: .acquiring)
  if descriptor >= 0 {
    var byte: UInt8 = 0
    _ = write(descriptor, &byte, 1)
  }
  errno = saved
}
