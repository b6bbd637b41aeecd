import CPromise
import Promises
import Synchronization

/// One call that a worker makes for its host, from its frame until its answer: the destination of the plugin's call.
///
///     noted --begin()--> under way --the plugin settles it, or cancel()--> answered --> ended
///
/// A child that the plugin forked answers nothing: other threads of the worker may have had locks at that time.
final class WorkerCall: CallDestination {
  enum Outcome: Sendable {
    case success(PluginValue)
    /// Indirect, so that an outcome is copied without the metadata of a reason, which may be of any type.
    indirect case failure(CallbackRejection)
  }

  private struct State {
    /// The plugin's part, while it is pending.
    var call: PluginCall?
    var isAnswered = false
    /// Set after the answer has been sent.
    var outcome: Outcome?
    /// Settled with the outcome, for calls that take the result before it is known.
    var promised: Promise<PluginValue>?
    var isCancelled = false
    var isCancelRequested = false
    var isTaken = false
  }

  let request: UInt64
  let function: BoundFunction
  /// Sends the answer.
  private let answer: Answer
  private let state = Mutex(State())

  typealias Answer = @Sendable (WorkerCall, Outcome) -> Void

  init(_ request: UInt64, _ function: BoundFunction, answer: @escaping Answer) {
    (self.request, self.function, self.answer) = (request, function, answer)
  }

  /// Whether another call takes the result.
  var isTaken: Bool { state.withLock(\.isTaken) }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Notes that another call will take the result.
  func markTaken() { state.withLock { $0.isTaken = true } }

  /// The result, for another call of the same process.
  var result: Promise<PluginValue> {
    let (promised, outcome) = state.withLock { state in
      state.isTaken = true
      return (state.promised, state.outcome)
    }
    if let promised { return promised }
    // With no lock held: a trace calls a closure of the plugin's.
    let promise = Promise<PluginValue>()
    if let outcome {
      promise.settle(with: outcome)
      return promise
    }
    // Only the reading thread calls this, so there is no other promise.
    let missed = state.withLock { state -> Outcome? in
      if state.outcome == nil { state.promised = promise }
      return state.outcome
    }
    if let missed { promise.settle(with: missed) }
    return promise
  }

  /// The function has returned. `call` may be pending.
  func begin(_ call: PluginCall) {
    let (isCancelled, isCancelRequested) = state.withLock { state in
      if !state.isAnswered { state.call = call }
      return (state.isCancelled, state.isCancelRequested)
    }
    if isCancelled {
      cancel()
    } else if isCancelRequested {
      call.requestCancel()
    }
  }

  /// Requests cancellation of the plugin's promise; if the function has not returned, `begin` does so.
  func requestCancel() {
    let call = state.withLock { state in
      state.isCancelRequested = true
      return state.call
    }
    call?.requestCancel()
  }

  /// Rejects the call, and discards the plugin's part of it; if the function has not returned, `begin` does so.
  func cancel() {
    let call = state.withLock { state -> PluginCall? in
      state.isCancelled = true
      defer { state.call = nil }
      if state.call != nil { state.isAnswered = true }
      return state.call
    }
    guard let call else { return }
    call.discard()
    end(.failure(CallbackRejection(reason: Discarded.discarded)))
  }

  /// Ends the call, unless it has ended.
  func settle(_ outcome: Outcome) {
    let isFirst = state.withLock { state in
      defer { (state.isAnswered, state.call) = (true, nil) }
      return !state.isAnswered
    }
    if isFirst { end(outcome) }
  }

  /// Answers the call. The calls that take the result end after this one: their answers follow its answer.
  private func end(_ outcome: Outcome) {
    answer(self, outcome)
    let promised = state.withLock { state in
      state.outcome = outcome
      return state.promised.take()
    }
    promised?.settle(with: outcome)
  }

  // MARK: The destination of the plugin's call

  // Requests arrive as frames.
  func passRequests(to call: PluginCall) {}
  func discardIfRequested() -> Bool { false }

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    guard !WorkerChannel.isInChild else { return }
    do throws(ArgumentMismatch) {
      settle(.success(try function.result(value)))
    } catch {
      reject(with: function.unreadableResult(error))
    }
  }

  func reject(with reason: UnsafePointer<promise_value_t>) {
    guard !WorkerChannel.isInChild else { return }
    settle(.failure(CallbackRejection(reason: reason.pointee.reason)))
  }

  func reject(with error: PluginError) {
    guard !WorkerChannel.isInChild else { return }
    settle(.failure(CallbackRejection(reason: error)))
  }
}

extension Promise<PluginValue> {
  fileprivate func settle(with outcome: WorkerCall.Outcome) {
    switch outcome {
    case .success(let value): resolve(value)
    case .failure(let rejection): reject(rejection.reason)
    }
  }
}
