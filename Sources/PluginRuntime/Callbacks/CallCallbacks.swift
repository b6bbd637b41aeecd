import CPluginEdge
import CPromise
import Synchronization

/// The callbacks that one call passes to its function, until their scopes end.
///
///     executing --conclude(), the result is a promise--> pending --the promise is settled--> over
///          \----conclude()---------------------------------------------------------------> over
///
/// @call callbacks end when the function has returned, @settled ones when the call is over. @once and @forever
/// callbacks outlive the call.
final class CallCallbacks: Sendable {
  typealias Owner = @Sendable (any Error) -> Void

  private enum Phase: Sendable { case executing, pending, over }

  private struct State {
    var phase = Phase.executing
    var live: [(scope: CallbackType.Scope, callback: Callback)] = []
    /// The first error that a callback threw, until the call ends with it.
    var failure: (error: any Error, source: CallbackSource)?
    /// Ends the call if a callback throws while the call is pending.
    var owner: Owner?
    /// The promise that callbacks settle, if the signature has one. After `conclude()` only the callbacks hold it.
    var completion: CallbackPromise?
  }

  private let plan: CallbackPlan
  /// The context that is passed along with the callbacks, and compared when the plugin passes it back.
  private let context = UInt(bitPattern: plugin_thunk_new_context())
  private let state: Mutex<State>

  init(_ plan: CallbackPlan) {
    self.plan = plan
    state = Mutex(State(completion: plan.completes ? CallbackPromise() : nil))
  }

  /// Stores a parameter: a C function made here, or the context. `value` is the caller's argument, if there is one.
  func store(
    _ value: UnsafePointer<promise_value_t>?, _ role: CallbackPlan.Role, at memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) {
    let function: promise_function_t?
    switch role {
    case .context: return memory.storeBytes(of: context, as: UInt.self)
    case .completion(let source):
      guard let completion = state.withLock({ $0.completion }) else { throw CallArena.noMemory }
      function = add(source) { arguments, _ in completion.settle(source, arguments) }
    case .closure(let source, _):
      guard let value, let callback = PluginCallback(value) else {
        let name = value?.pointee.nameOfContent ?? "missing"
        throw ArgumentMismatch(message: "is \(name), expected \(ValueType.callback(source.type).expectation)")
      }
      function = add(source) { arguments, result in try source.run(callback, arguments, result) }
    }
    guard let function else { throw CallArena.noMemory }
    memory.storeBytes(of: function, as: promise_function_t.self)
  }

  private func add(_ source: CallbackSource, _ action: @escaping CallbackBody.Action) -> promise_function_t? {
    let registry = plan.registry
    let number = registry.reserve()
    let body = CallbackBody(
      source, action, failed: { [self] in fail($0, source) }, ended: { registry.remove(number) })
    guard let callback = source.make(body, context) else { return nil }
    registry.add(callback, number)
    let completion = state.withLock { state in
      state.live.append((source.type.scope, callback))
      return state.completion
    }
    completion?.add(callback, source)
    return callback.function
  }

  /// Records the error of a callback, or ends the call with it.
  private func fail(_ error: any Error, _ source: CallbackSource) {
    var owner: Owner?
    let isOver = state.withLock { state in
      owner = state.owner
      if state.phase != .over, owner == nil, state.failure == nil { state.failure = (error, source) }
      return state.phase == .over
    }
    owner?(error)
    if isOver { Self.report(error, source) }
  }

  /// Logs an error that can no longer reject the call.
  private static func report(_ error: any Error, _ source: CallbackSource) {
    source.report(.error, "threw when its call was over: \(error)")
  }
}

extension CallCallbacks {
  /// Concludes the call after the function has returned `outcome`, or was not called. Returns the call's outcome; its
  /// value or reason is stored in `result`.
  func conclude(_ outcome: CallOutcome, _ result: UnsafeMutablePointer<promise_value_t>) -> CallOutcome {
    end(.call, quietly: false)
    var outcome = outcome
    let (failure, completion) = state.withLock { state in
      defer { (state.failure, state.completion) = (nil, nil) }
      return (state.failure?.error, state.completion)
    }
    if let failure { outcome = replace(outcome, result, failure) }
    guard case .fulfilled = outcome else {
      // The function reported failure, so it need not call the completion.
      completion?.cancel()
      return over(outcome)
    }
    if let completion {
      promise_value_release(result)
      result.pointee = promise_value_t(promise: completion.takePromise())
    }
    guard result.pointee.kind == promise_kind_t(PROMISE_KIND_PROMISE), observe(result.pointee.as.ptr) else {
      return over(outcome)
    }
    return outcome
  }

  /// Sets the owner, which ends the call if a callback throws while the promise is pending.
  func own(_ owner: @escaping Owner) {
    let failure = state.withLock { state in
      if state.phase == .pending { state.owner = owner }
      defer { if state.phase == .pending { state.failure = nil } }
      return state.phase == .pending ? state.failure?.error : nil
    }
    if let failure { owner(failure) }
  }

  /// Replaces the function's outcome with a rejection by the callback's error.
  private func replace(
    _ outcome: CallOutcome, _ result: UnsafeMutablePointer<promise_value_t>, _ failure: any Error
  ) -> CallOutcome {
    switch outcome {
    case .fault: return outcome
    case .fulfilled, .rejected:
      if result.pointee.kind == promise_kind_t(PROMISE_KIND_PROMISE), let promise = result.pointee.as.ptr {
        promise_discard(OpaquePointer(promise))
      }
      promise_value_release(result)
      if let error = failure as? PluginError { return .fault(.callback(error)) }
      result.pointee = promise_value_t(thrown: failure)
      return .rejected
    }
  }

  /// Ends the @settled callbacks when the promise is settled, before its other observers run. Returns false if there is
  /// no valid promise, or memory has run out.
  private func observe(_ promise: UnsafeMutableRawPointer?) -> Bool {
    state.withLock { $0.phase = .pending }
    let context = Unmanaged.passRetained(self).toOpaque()
    let status = promise_observe(
      OpaquePointer(promise), { callbacks, _ in CallCallbacks.from(callbacks).settled(isDiscarded: false) },
      { callbacks, reason in
        CallCallbacks.from(callbacks).settled(
          isDiscarded: reason.pointee.kind == promise_kind_t(PROMISE_KIND_DISCARDED))
      }, context, { Unmanaged<CallCallbacks>.fromOpaque($0!).release() })
    return status == PROMISE_OK
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> CallCallbacks {
    Unmanaged<CallCallbacks>.fromOpaque(context!).takeUnretainedValue()
  }

  /// Ends the @settled callbacks. If the caller discarded the promise, late calls are not reported: threads of the
  /// plugin may call until they notice.
  private func settled(isDiscarded: Bool) {
    let failure = state.withLock { state in
      defer { (state.phase, state.owner, state.failure) = (.over, nil, nil) }
      return state.failure
    }
    if let failure { Self.report(failure.error, failure.source) }
    end(.settled, quietly: isDiscarded)
  }

  private func over(_ outcome: CallOutcome) -> CallOutcome {
    state.withLock { ($0.phase, $0.owner) = (.over, nil) }
    end(.settled, quietly: false)
    return outcome
  }

  /// Ends the callbacks of a scope outside the lock: releasing them may run the user's code.
  private func end(_ scope: CallbackType.Scope, quietly: Bool) {
    let ended = state.withLock { state in
      let ended = state.live.filter { $0.scope == scope }
      state.live.removeAll { $0.scope == scope }
      return ended
    }
    for (_, callback) in ended { callback.end(quietly: quietly) }
  }
}
