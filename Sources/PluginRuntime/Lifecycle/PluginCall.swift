import CPluginEdge
import CPromise
import Synchronization

/// One call of a function, from its beginning until its promise is settled.
///
///     waiting --run()--> executing --the function returns a value--> over
///        |                   |   \--it returns a promise--> pending --that is settled, or dropped--> over
///        \---- discard() ----/\--abandon()--> over             \---- discard(), giveUp() ----> over
///
/// Over means that the destination is settled; a result that comes later is released.
final class PluginCall: Sendable {
  private struct State {
    /// Settled once, by the caller that takes it out.
    var destination: (any CallDestination)?
    /// The promise that the function returned, until it is settled or destroyed. The call has no reference to it, so
    /// that the promise is destroyed when its last possible settler is.
    var promise: CallTable.Handle?
    var isDiscarded = false
    /// Whether its function was left, and will never return.
    var isAbandoned = false
    /// Memory and callbacks that the function may use until its promise is settled.
    var arguments: ArgumentValues?
  }

  let id: UInt64
  let function: BoundFunction
  private let plugin: LoadedPlugin
  private let queue: ProgressQueue
  private let state = Mutex(State())

  private static let count = Atomic<UInt64>(0)

  init(_ function: BoundFunction, of plugin: LoadedPlugin, progress: (@Sendable (ProgressReport) -> Void)?) {
    self.function = function
    self.plugin = plugin
    id = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    queue = ProgressQueue(progress, plugin.host.options.progress)
  }

  /// Sets the destination that the call settles, before it runs.
  func begin(_ destination: any CallDestination) {
    state.withLock { if !$0.isDiscarded { $0.destination = destination } }
  }

  /// Calls the function on this thread. The arguments are borrowed; `kept` owns them; `nil` if nothing does.
  func run(_ arguments: UnsafePointer<promise_value_t>?, _ count: Int, kept: ArgumentValues?) {
    guard state.withLock({ !$0.isDiscarded }) else { return }
    let limit = plugin.host.options.recursionLimit
    guard CallStack.depth < limit else {
      return end { $0.reject(with: .tooDeep(function.qualifiedName, limit)) }
    }
    guard plugin.host.activity.begin() else { return end { $0.reject(with: Self.closed(function)) } }
    guard plugin.calls.begin() else {
      plugin.host.activity.end()
      return end { $0.reject(with: Self.closed(function)) }
    }
    var result = promise_value_t()
    var outcome = CallOutcome.fulfilled
    var memory: CallArena?
    let hasReturned = withUnsafeMutablePointer(to: &result) { result in
      CallStack.run(self, at: result) {
        outcome = CallPlan.invoke(function.plan, arguments, count, into: result, keeping: &memory)
      }
    }
    guard hasReturned else { return }
    if case .fulfilled = outcome, function.plan.pointee.result == .promise, let promise = OpaquePointer(result.as.ptr) {
      let lent = function.plan.pointee.lends ? kept ?? ArgumentValues(retaining: arguments, count: count) : nil
      lent?.keep(memory)
      lent?.releaseCallbacks()
      if let error = memory?.callbacks?.own({ [self] in callbackFailed($0) }) { callbackFailed(error) }
      return follow(promise, lent)
    }
    plugin.calls.end()
    plugin.host.activity.end()
    switch outcome {
    case .fulfilled: end { $0.fulfil(with: &result) }
    case .rejected: end { $0.reject(with: &result) }
    case .fault(let fault):
      let error = function.error(fault, arguments, count)
      return end { $0.reject(with: error) }
    }
    promise_value_release(&result)
  }

  /// Calls the function later than the caller asked for it: not if the caller has requested cancellation since.
  func runLater(_ arguments: ArgumentValues) {
    if state.withLock(\.destination)?.discardIfRequested() == true { return }
    run(arguments.values, arguments.count, kept: arguments)
  }

  var isAbandoned: Bool { state.withLock(\.isAbandoned) }

  /// Ends the call because its function will never return: it was left by longjmp(). Resources of the frames in between
  /// are lost.
  func abandon() {
    state.withLock { $0.isAbandoned = true }
    plugin.calls.end()
    plugin.host.activity.end()
    end { $0.reject(with: function.error(.abandoned, "was left by longjmp(), expected a return to its caller")) }
  }

  /// Settles the destination, unless it is settled.
  private func end(_ settle: (any CallDestination) -> Void) {
    let destination = state.withLock { state in
      defer { state.destination = nil }
      return state.destination
    }
    if let destination { settle(destination) }
  }

  static func closed(_ function: BoundFunction) -> PluginError {
    function.error(.closed, "is not called any more: the host is shutting down")
  }
}

extension PluginCall {
  /// Waits for the promise that the function returned, whose reference it takes over.
  private func follow(_ promise: OpaquePointer, _ arguments: ArgumentValues?) {
    if promise_state(promise) == PROMISE_FULFILLED { return take(promise) }
    let handle = UInt(bitPattern: promise)
    let (isDiscarded, destination) = state.withLock { state in
      state.promise = handle
      state.arguments = arguments
      return (state.isDiscarded, state.destination)
    }
    let isLate = plugin.calls.end(self, handle, isPending: true)
    queue.deliver()
    let context = Unmanaged.passRetained(self).toOpaque()
    let status = promise_observe(
      promise, { if !plugin_process_is_child_of_worker() { PluginCall.call($0).settle($1, isRejected: false) } },
      { if !plugin_process_is_child_of_worker() { PluginCall.call($0).settle($1, isRejected: true) } }, context,
      {
        // In a child of fork(), locks that other threads held at the fork stay locked, those of the Swift runtime too.
        if plugin_process_is_child_of_worker() { return }
        Unmanaged<PluginCall>.fromOpaque($0!).takeRetainedValue().drop()
      })
    if status == PROMISE_OK, isDiscarded { promise_discard(promise) }
    // If this was the last reference, the observer is freed now.
    promise_release(promise)
    // At once if cancellation of the call was requested before.
    destination?.passRequests(to: self)
    if isLate {
      giveUp()
      plugin.calls.endHandler()
    }
  }

  /// Ends the call with the value of the promise that the function returned fulfilled. Takes over the reference.
  private func take(_ promise: OpaquePointer) {
    plugin.calls.end(self, UInt(bitPattern: promise), isPending: false)
    queue.deliver()
    plugin.host.activity.end()
    var value = promise_value_t()
    if promise_result(promise, &value) == PROMISE_OK {
      fulfil(with: &value)
      promise_value_release(&value)
    } else {
      end { $0.reject(with: function.error(.noMemory, nil, 0)) }
    }
    promise_release(promise)
  }

  /// Ends the call if its promise was destroyed while it was pending, or cannot be observed because memory has run out.
  /// Runs when the observer is freed, and is a no-op if the promise was settled.
  private func drop() {
    guard let (promise, arguments) = takePromise() else { return }
    let isDestroyed = promise_state(OpaquePointer(bitPattern: promise)) == PROMISE_ESTALE
    // The plugin may still use the arguments of a promise that exists.
    if !isDestroyed, let arguments { plugin.host.retainedArguments.retain(arguments, until: promise) }
    plugin.calls.remove(self, promise)
    plugin.host.activity.end()
    let reason =
      isDestroyed
      ? "returned a promise that nothing can settle: its last reference was released while it was pending"
      : "cannot wait for its promise: memory has run out"
    end { $0.reject(with: function.error(.badResult, reason)) }
    withExtendedLifetime(arguments) {}
  }

  private func takePromise() -> (CallTable.Handle, ArgumentValues?)? {
    state.withLock { state in
      defer { (state.promise, state.arguments) = (nil, nil) }
      return state.promise.map { ($0, state.arguments) }
    }
  }

  private static func call(_ context: UnsafeMutableRawPointer?) -> PluginCall {
    Unmanaged<PluginCall>.fromOpaque(context!).takeUnretainedValue()
  }

  /// Ends the call when the promise that the function returned is settled.
  private func settle(_ value: UnsafePointer<promise_value_t>, isRejected: Bool) {
    guard let (promise, arguments) = takePromise() else { return }
    plugin.calls.remove(self, promise)
    plugin.host.activity.end()
    if isRejected, let arguments, value.pointee.kind == promise_kind_t(PROMISE_KIND_DISCARDED) {
      // The promise may have been discarded from outside the plugin, whose threads use the arguments until they notice.
      plugin.host.retainedArguments.retain(arguments, until: promise)
    }
    if isRejected {
      end { $0.reject(with: value) }
    } else {
      fulfil(with: value)
    }
  }

  /// Ends the call with the value of the promise that the function returned, if the promise may have it.
  private func fulfil(with value: UnsafePointer<promise_value_t>) {
    if case .promise(let element) = function.signature.result, !value.pointee.suits(element, function.resultPlan) {
      let error = function.result("returned a promise that was fulfilled with \(value.pointee.nameOfContent)")
      end { $0.reject(with: error) }
    } else {
      end { $0.fulfil(with: value) }
    }
  }

  /// Ends the call because its destination was discarded, and discards the plugin's promise.
  func discard() {
    // The destination is released outside the lock: it holds closures of the program.
    let (promise, destination) = state.withLock { state in
      defer { (state.isDiscarded, state.destination) = (true, nil) }
      return (retained(state.promise), state.destination)
    }
    withExtendedLifetime(destination) {}
    discard(promise)
  }

  /// Requests cancellation of the promise that the function returned. Does nothing while the function runs, and once
  /// the promise is settled.
  func requestCancel() {
    guard let promise = state.withLock({ retained($0.promise) }) else { return }
    let handle = UInt(bitPattern: promise)
    plugin.post {
      let promise = OpaquePointer(bitPattern: handle)
      promise_request_cancel(promise, nil)
      promise_release(promise)
    }
  }

  /// Ends the call because the host shuts down.
  func giveUp() {
    end { $0.reject(with: function.error(.closed, "had not settled its promise when the host shut down")) }
    discard(state.withLock { retained($0.promise) })
  }

  /// Ends the call because a callback threw, and discards the plugin's promise.
  private func callbackFailed(_ error: any Error) {
    if let error = error as? PluginError {
      end { $0.reject(with: error) }
    } else {
      var reason = promise_value_t(thrown: error)
      end { $0.reject(with: &reason) }
      promise_value_release(&reason)
    }
    discard()
  }

  /// Returns a reference that outlives the lock; `nil` if the promise was destroyed.
  private func retained(_ promise: CallTable.Handle?) -> OpaquePointer? {
    guard let promise = promise.flatMap({ OpaquePointer(bitPattern: $0) }), promise_retain(promise) == PROMISE_OK else {
      return nil
    }
    return promise
  }

  private func discard(_ promise: OpaquePointer?) {
    guard let promise else { return }
    let handle = UInt(bitPattern: promise)
    plugin.post {
      let promise = OpaquePointer(bitPattern: handle)
      promise_discard(promise)
      promise_release(promise)
    }
  }

  func report(_ progress: Progress) {
    keep(progress)
    queue.deliver()
  }

  /// Queues the report for the next delivery. Calls no receiver.
  func keep(_ progress: Progress) {
    queue.append(
      ProgressReport(
        plugin: function.plugin, function: function.signature.name, call: id, fraction: progress.fraction,
        message: progress.message))
  }
}
