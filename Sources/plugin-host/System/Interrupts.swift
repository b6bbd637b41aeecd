import Glibc
import PluginRuntime
import Synchronization

/// Records SIGINT in an interactive session, instead of letting it end the process.
///
/// The handler is installed once, for the life of the process. It sets a flag, then wakes the loop through the loop's
/// pipe. The loop tests the flag before each sleep, so that no signal is lost between the test and the sleep.
enum Interrupts {
  /// Starts to record SIGINT, which also wakes `loop`, and ends reads and writes of files.
  @MainActor
  static func install(waking loop: MainLoop) {
    loop.notesInterrupts = true
    wakeup.store(loop.wakeup, ordering: .releasing)
    requested.store(false, ordering: .releasing)
    installed.store(true, ordering: .releasing)
    FileBytes.allowInterruption { isRequested }
    action.install(for: SIGINT)
    // The parent may have started this process with the signal blocked.
    TerminationSignals.unblock([SIGINT])
  }

  /// Whether `install` was called, so that SIGINT is recorded.
  static var isInstalled: Bool { installed.load(ordering: .acquiring) }

  /// The handler.
  static var action: SignalAction { SignalAction { _ in noteInterrupt() } }

  /// Whether SIGINT arrived since `clear()`.
  static var isRequested: Bool { requested.load(ordering: .acquiring) }

  /// Drops earlier requests. Call before a line is taken, so that later requests are kept, and after a call was
  /// interrupted.
  static func clear() { requested.store(false, ordering: .releasing) }
}

private let installed = Atomic<Bool>(false)
private let requested = Atomic<Bool>(false)
private let wakeup = Atomic<Int32>(-1)

/// The handler. It uses only atomics and write(2), which are async-signal-safe.
private func noteInterrupt() {
  let saved = errno
  requested.store(true, ordering: .releasing)
  TerminationSignals.wake(wakeup.load(ordering: .acquiring))
  errno = saved
}
