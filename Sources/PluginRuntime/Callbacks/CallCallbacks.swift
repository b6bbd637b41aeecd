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

  private struct State {
    var live: [(scope: CallbackType.Scope, callback: Callback)] = []
    /// The first error that a callback threw, until `own()` takes it for the call.
    var failure: (any Error)?
    var isOwned = false
    /// Ends the call if a callback throws while the call is pending.
    var owner: Owner?
    var isOver = false
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

  /// Records the error of a callback, ends the call with it, or logs it if it can no longer reject the call.
  private func fail(_ error: any Error, _ source: CallbackSource) {
    let (isOwned, isOver, owner) = state.withLock { state in
      if !state.isOwned, state.failure == nil { state.failure = error }
      return (state.isOwned, state.isOver, state.owner)
    }
    owner?(error)
    guard isOwned, owner == nil else { return }
    source.report(.error, "threw when \(isOver ? "its call was over" : "it could no longer reject the call"): \(error)")
  }
}

extension CallCallbacks {
  /// Concludes the call after the function has returned `outcome`, or was not called. Returns the call's outcome; its
  /// value or reason is stored in `result`. After a promise (`isPromise`) the caller has to call `own()`.
  func conclude(
    _ outcome: CallOutcome, _ result: UnsafeMutablePointer<promise_value_t>, isPromise: Bool
  ) -> CallOutcome {
    end(.call, quietly: false)
    let completion = state.withLock { state in
      defer { state.completion = nil }
      return state.completion
    }
    if isPromise, case .fulfilled = outcome {
      if let completion {
        promise_value_release(result)
        result.pointee = promise_value_t(promise: completion.takePromise())
      }
      if !observe(result.pointee.as.ptr) { over(quietly: false) }
      return outcome
    }
    // The function reported failure, so it need not call the completion.
    completion?.cancel()
    let failure = own(nil)
    over(quietly: false)
    guard let failure else { return outcome }
    if case .fault = outcome { return outcome }
    promise_value_release(result)
    return Self.reject(with: failure, into: result)
  }

  /// Takes the error that a callback has thrown. The owner receives later ones, until the promise is settled; errors
  /// without an owner are logged.
  func own(_ owner: Owner?) -> (any Error)? {
    state.withLock { state in
      state.isOwned = true
      if !state.isOver { state.owner = owner }
      defer { state.failure = nil }
      return state.failure
    }
  }

  /// Returns the outcome of a call that a callback's error rejects.
  static func reject(with error: any Error, into result: UnsafeMutablePointer<promise_value_t>) -> CallOutcome {
    if let error = error as? PluginError { return .fault(.callback(error)) }
    result.pointee = promise_value_t(thrown: error)
    return .rejected
  }

  /// Ends the @settled callbacks when the promise is settled, before its other observers run. Returns false if memory
  /// has run out.
  private func observe(_ promise: UnsafeMutableRawPointer?) -> Bool {
    let context = Unmanaged.passRetained(self).toOpaque()
    let status = promise_observe(
      OpaquePointer(promise), { callbacks, _ in CallCallbacks.from(callbacks).over(quietly: false) },
      { callbacks, reason in
        CallCallbacks.from(callbacks).over(quietly: reason.pointee.kind == promise_kind_t(PROMISE_KIND_DISCARDED))
      }, context, { Unmanaged<CallCallbacks>.fromOpaque($0!).release() })
    return status == PROMISE_OK
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> CallCallbacks {
    Unmanaged<CallCallbacks>.fromOpaque(context!).takeUnretainedValue()
  }

  /// Ends the @settled callbacks. Late calls are not reported if the caller discarded the promise: threads of the
  /// plugin may call until they notice.
  private func over(quietly: Bool) {
    // Released outside the lock: the owner holds the call, and the call closures of the program.
    let owner = state.withLock { state in
      defer { (state.isOver, state.owner) = (true, nil) }
      return state.owner
    }
    withExtendedLifetime(owner) {}
    end(.settled, quietly: quietly)
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
