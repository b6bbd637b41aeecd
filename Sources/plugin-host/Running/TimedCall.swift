import PluginRuntime
import Promises
import Synchronization

/// One call of a plugin's function, on a thread of its own because the function may block, with a time limit. It can be
/// given up at any time.
final class TimedCall: Sendable {
  /// Settles like the call's promise, or is rejected with the `CallFailure` for which the call was given up.
  let outcome = Promise<PluginValue>()
  /// Fulfilled once the outcome is settled and the function runs on no thread of this process. After a call that was
  /// given up, it waits for the function, also in a worker, for `Session.patience` at most.
  let end = Promise<Void>()
  /// Fulfilled once the function has returned.
  let returns = Promise<Void>()

  private let session: Session
  private let lane: CallLane?
  private let state = Mutex(State())

  private struct State {
    var isGivenUp = false
    var isSettled = false
    /// Whether the function runs on a thread of this process.
    var isRunning = false
    /// Whether the call has its `Use`.
    var isUsed = false
    /// The promise of the call, once it was made.
    var promise: Promise<PluginValue>?
    /// The time limit in seconds, and its alarm.
    var limit: (seconds: Double, alarm: Alarm)?

    var isEnded: Bool { isSettled && !isRunning && !(isGivenUp && isUsed) }
  }

  /// A call that is under way in this process or in a worker. Released when that is over, also if the call was
  /// discarded: the call has it in its closure for progress.
  final class Use: Sendable {
    private let ended: @Sendable () -> Void

    fileprivate init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

    deinit { ended() }
  }

  /// `lane`: has the thread on which the call is made; nil: a thread of its own.
  init(in session: Session, on lane: CallLane? = nil) {
    self.session = session
    self.lane = lane
  }

  /// Makes the call, with a time limit of `timeout` seconds, of which `used` have passed. `make` may block. An error
  /// that it throws rejects the outcome.
  func start(
    timeout: Double?, after used: Duration = .zero, _ make: @escaping @Sendable (Use) throws -> Promise<PluginValue>
  ) {
    outcome.then({ [self] _ in settled() }, { [self] _ in settled() })
    let job: CallThreads.Job = { [self] in
      let isWanted = state.withLock { state in
        (state.isRunning, state.isUsed) = (!state.isGivenUp, !state.isGivenUp)
        return state.isRunning
      }
      guard isWanted else { return }
      if let timeout { limit(to: timeout, after: used) }
      perform(make)
      returned()
    }
    if let lane { lane.run(self, job) } else { session.callThreads.run(job) }
  }

  private func perform(_ make: (Use) throws -> Promise<PluginValue>) {
    do {
      let promise = try make(Use { [self] in released() })
      let isWanted = state.withLock { state in
        if !state.isGivenUp { state.promise = promise }
        return !state.isGivenUp
      }
      promise.then({ [outcome] in outcome.resolve($0) }, { [outcome] in outcome.reject($0) })
      if !isWanted { promise.discard() }
    } catch {
      outcome.reject(error)
    }
  }

  /// Rejects the outcome with `reason`, unless it is settled, and discards the call, so that the plugin can stop.
  ///
  /// - Parameter endsAtOnce: whether `end` does not wait for the function.
  func giveUp(_ reason: CallFailure, endsAtOnce: Bool = false) {
    let (promise, isUsed) = state.withLock { state in
      defer { state.promise = nil }
      state.isGivenUp = true
      return (state.promise, state.isUsed)
    }
    session.givesUp.store(true, ordering: .relaxed)
    if isUsed { session.loop.after(session.patience) { self.endWaiting() } }
    outcome.reject(reason)
    if endsAtOnce { end.resolve(()) }
    // The plugin's handler may block.
    if let promise { session.endingThreads.run { promise.discard() } }
  }

  private func limit(to seconds: Double, after used: Duration) {
    let alarm = session.loop.after(max(.seconds(seconds) - used, .zero)) { self.giveUp(.timedOut(seconds: seconds)) }
    state.withLock { $0.limit = (seconds, alarm) }
    outcome.then({ _ in alarm.cancel() }, { _ in alarm.cancel() })
  }

  /// Runs `body`, on the thread of the call, before the time limit begins anew.
  func runBeforeLimit(_ body: () -> Void) {
    let limit = state.withLock(\.limit)
    limit?.alarm.cancel()
    body()
    if let limit { self.limit(to: limit.seconds, after: .zero) }
  }

  // MARK: The end

  private func settled() {
    // Released after the lock: its call has the `Use`, which has this object.
    let (promise, isEnded) = state.withLock { state in
      defer { state.promise = nil }
      state.isSettled = true
      return (state.promise, state.isEnded)
    }
    if isEnded { end.resolve(()) }
    withExtendedLifetime(promise) {}
  }

  private func returned() {
    let isEnded = state.withLock { state in
      state.isRunning = false
      lane?.note(isBlocked: false)
      return state.isEnded
    }
    returns.resolve(())
    if isEnded { end.resolve(()) }
  }

  private func released() {
    let isEnded = state.withLock { state in
      state.isUsed = false
      return state.isGivenUp && state.isEnded
    }
    // Not here, where the link of a worker may be locked.
    if isEnded { session.loop.post { self.end.resolve(()) } }
  }

  /// Ends a call that was given up and is still under way.
  private func endWaiting() {
    state.withLock { if $0.isRunning { lane?.note(isBlocked: true) } }
    lane?.rejectWaiting()
    end.resolve(())
  }
}
