import PluginRuntime
import Promises
import Synchronization

/// One call of a plugin's function, on a thread of its own because the function may block, with a time limit. It can be
/// given up at any time.
final class Attempt: Sendable {
  /// Settles like the call's promise, or is rejected with the `CallFailure` for which the call was given up.
  let outcome = Promise<PluginValue>()

  private let loop: MainLoop
  private let run: @Sendable (@escaping CallThreads.Job) -> Void
  private let enders: CallThreads
  private let call = Mutex(Call.notMade)

  private enum Call {
    case notMade
    case made(Promise<PluginValue>)
    case givenUp
  }

  /// - Parameter thread: the thread on which the call is made; nil: a thread of its own.
  init(in session: Session, on thread: SerialThread? = nil) {
    loop = session.loop
    if let thread { run = { thread.post($0) } } else { run = { [callers = session.callers] in callers.run($0) } }
    enders = session.enders
  }

  /// Makes the call, with a time limit of `timeout` seconds, of which `used` have passed. `make` may block. An error
  /// that it throws rejects the outcome.
  func start(
    timeout: Double?, after used: Duration = .zero, _ make: @escaping @Sendable () throws -> Promise<PluginValue>
  ) {
    if let timeout { limit(to: timeout, after: used) }
    run { [self] in
      guard call.withLock({ if case .notMade = $0 { true } else { false } }) else { return }
      do {
        let promise = try make()
        let isWanted = call.withLock { call in
          guard case .notMade = call else { return false }
          call = .made(promise)
          return true
        }
        promise.then({ [outcome] in outcome.resolve($0) }, { [outcome] in outcome.reject($0) })
        if !isWanted { promise.discard() }
      } catch {
        outcome.reject(error)
      }
    }
  }

  /// Rejects the outcome with `reason`, unless it is settled, and discards the call, so that the plugin can stop.
  func giveUp(_ reason: CallFailure) {
    outcome.reject(reason)
    let made = call.withLock { call -> Promise<PluginValue>? in
      defer { call = .givenUp }
      guard case .made(let promise) = call else { return nil }
      return promise
    }
    // The plugin's handler for cancellation may block.
    if let made { enders.run { made.discard() } }
  }

  private func limit(to seconds: Double, after used: Duration) {
    let alarm = loop.after(max(.seconds(seconds) - used, .zero)) { self.giveUp(.timedOut(seconds: seconds)) }
    outcome.then({ _ in alarm.callOff() }, { _ in alarm.callOff() })
  }
}
