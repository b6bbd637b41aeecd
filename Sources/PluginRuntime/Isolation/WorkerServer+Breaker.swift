import Glibc
import Synchronization

/// The circuit breaker between the calls of a plugin and its workers.
///
///     closed --crashLimit workers in a row ended without an answer--> open --coolDown--> half-open: one more worker
extension WorkerServer {
  /// Opens the circuit if a worker was the last of too many that ended without an answer: waits for `coolDown`, and
  /// rejects the calls that are made meanwhile. Returns the number of failures to continue with.
  func breakCircuit(after end: WorkerEnd, failures: Int) -> Int {
    guard failures >= max(settings.options.crashLimit, 1) else { return failures }
    let reason =
      "its worker processes ended \(failures) times in a row without an answer; the last one: \(end.sentence)"
    settings.host.log(.error, settings.id(nil), "is not started for \(settings.options.coolDown): \(reason)")
    let time = ContinuousClock.now + settings.options.coolDown
    link.state.withLock { $0.isQuarantined = true }
    defer { link.state.withLock { $0.isQuarantined = false } }
    while ContinuousClock.now < time, link.state.withLock({ $0.phase == .waiting }) {
      reject(link.takeCalls()) { call in
        PluginError(.quarantined, name(call.function), "is not called for \(settings.options.coolDown): \(reason)")
      }
      waitForWakeup(until: time)
    }
    return failures - 1
  }
}

extension PluginError {
  /// Whether the program's rule refuses the file (`LibraryAdmission`). The plugin has not failed then.
  var isAdmission: Bool { kind == .notTrusted || kind == .quarantined }
}

extension PluginSource {
  /// The path of the file; `nil` if a library is not found.
  var path: String? {
    switch self {
    case .file(let path): path
    case .adoption(let adoption): try? LibraryFinder.path(of: adoption.library)
    }
  }
}
