import Promises
import Synchronization

/// Results that are arguments of later calls of the same worker (pipelining): the worker takes them from the earlier
/// call, so that the later one is sent at once.
extension WorkerLink {
  /// Returns the call of this worker that settles `promise`. `nil` if its result was sent to the host, or if no call of
  /// this worker settles it.
  func request(of promise: Promise<PluginValue>) -> UInt64? {
    state.withLock { $0.calls.request(of: promise) ?? $0.kept.request(of: promise) }
  }

  /// Returns the call of this worker that settles `promise`, and marks its result as the argument of a later call.
  func take(_ promise: Promise<PluginValue>) -> UInt64? {
    state.withLock { $0.calls.take(promise) ?? $0.kept.request(of: promise) }
  }

  /// Sends the outcome of a promise argument in a frame once it is settled. `generation` is the worker that has it.
  func settle(_ number: UInt64, with promise: Promise<PluginValue>, to generation: Int? = nil) {
    let send: @Sendable (WorkerQuestions.Answer) -> Void = { [self] answer in
      state.withLock { $0.settled += 1 }
      reply(.settle, number, answer, to: generation)
    }
    promise.then({ send(.success($0)) }, { send(.failure(CallbackRejection(reason: $0))) })
  }

  /// Settles the argument `number` of the call `request` by a frame, once. For an argument that the worker no longer
  /// has: it had answered the producing call before it read the call that takes the result.
  func settleResult(_ number: UInt64, of request: UInt64, to generation: Int) {
    let promise = state.withLock { state -> Promise<PluginValue>? in
      guard let index = state.calls[request]?.arguments.results.firstIndex(where: { $0.number == number }) else {
        return nil
      }
      return state.calls[request]?.arguments.results.remove(at: index).promise
    }
    guard let promise else { return }
    settle(number, with: promise, to: generation)
  }

  /// Removes and returns the calls that depend on the result of a call, directly or not.
  func takeDependents(of request: UInt64) -> [RemoteCall] {
    state.withLock { state in
      var taken: [RemoteCall] = []
      var pending = state.calls.dependents(of: request)
      while let next = pending.popLast() {
        pending += state.calls.dependents(of: next.request)
        guard let call = state.remove(next.request) else { continue }
        state.unsent.removeAll { $0 == call.request }
        taken.append(call)
      }
      return taken
    }
  }

  /// Adds the errors that callbacks of a call threw to the calls that its rejection rejects.
  func inherit(_ thrown: [UInt64: any Error], from request: UInt64) {
    guard !thrown.isEmpty else { return }
    state.withLock { state in
      for dependent in state.calls.dependents(of: request) {
        dependent.thrown.merge(thrown) { $1 }
      }
    }
  }
}
