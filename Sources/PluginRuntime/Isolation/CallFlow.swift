import Dispatch
import Promises
import Synchronization

/// The calls of one plugin that wait: for others to end, if there is a limit, or while generations are exchanged.
///
/// A call is admitted, waits, or is refused. Calls start in the order in which they came.
final class CallFlow: Sendable {
  enum Admission: Sendable { case start, waits, overloaded, closed }

  private struct State {
    /// Calls that a worker has not answered; counted only if they are limited.
    var running = 0
    /// By their numbers, which grow.
    var waiting: [UInt64: WaitingCall] = [:]
    /// No call that waits has a lower number.
    var first: UInt64 = 0
    var next: UInt64 = 0
    var isHeld = false
    var isClosed = false

    /// Takes out the call that has waited longest.
    mutating func takeFirst() -> WaitingCall? {
      guard !waiting.isEmpty else { return nil }
      while true {
        defer { first += 1 }
        if let call = waiting.removeValue(forKey: first) { return call }
      }
    }
  }

  private let limits: CallLimits
  private let state = Mutex(State())
  /// Signalled when the last waiting call starts after the flow was closed.
  private let emptied = DispatchSemaphore(value: 0)

  init(_ limits: CallLimits) { self.limits = limits }

  /// Decides on a new call; makes the waiting call if it waits.
  func admit(_ waiting: (_ number: UInt64) -> WaitingCall) -> Admission {
    state.withLock { state in
      if state.isClosed { return .closed }
      if !state.isHeld, state.waiting.isEmpty, state.running < limits.inFlight {
        if limits.areSet { state.running += 1 }
        return .start
      }
      guard state.isHeld || limits.whenFull == .wait, state.waiting.count < limits.queue else { return .overloaded }
      state.waiting[state.next] = waiting(state.next)
      state.next += 1
      return .waits
    }
  }

  /// Whether a call starts without being counted: calls are not limited, and none waits.
  var startsAtOnce: Bool {
    !limits.areSet && state.withLock { !$0.isClosed && !$0.isHeld && $0.waiting.isEmpty }
  }

  /// The token that a started call keeps until its worker has answered; `nil` if calls are not limited.
  func slot() -> CallSlot? { limits.areSet ? CallSlot(self) : nil }

  /// Takes out the call of that number, which was discarded, or whose time is over. `nil` if it has started.
  func remove(_ number: UInt64) -> WaitingCall? {
    state.withLock { state in
      guard let call = state.waiting.removeValue(forKey: number) else { return nil }
      if state.waiting.isEmpty, state.isClosed { emptied.signal() }
      return call
    }
  }

  /// A worker has answered a call.
  fileprivate func finished() { startNext { $0.running -= 1 } }

  /// Makes all new calls wait.
  func hold() { state.withLock { $0.isHeld = true } }

  /// Starts the calls that waited.
  func release() { startNext { $0.isHeld = false } }

  private func startNext(after change: (inout State) -> Void) {
    let (started, isLast) = state.withLock { state in
      change(&state)
      var started: [WaitingCall] = []
      while !state.isHeld, state.running < limits.inFlight, let call = state.takeFirst() {
        started.append(call)
        if limits.areSet { state.running += 1 }
      }
      return (started, state.waiting.isEmpty && state.isClosed && !started.isEmpty)
    }
    for call in started { call.start() }
    // Not before: unload() closes the workers then, which would take these calls no more.
    if isLast { emptied.signal() }
  }

  /// Refuses new calls. Waits until those that wait have started, at most until the deadline, and returns the rest.
  func close(deadline: DispatchTime) -> [WaitingCall] {
    let isEmpty = state.withLock { state in
      state.isClosed = true
      return state.waiting.isEmpty
    }
    if !isEmpty { _ = emptied.wait(timeout: deadline) }
    return state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

/// The place of a call among those in flight, which is free again when the last reference to it is released.
final class CallSlot: Sendable {
  private let flow: CallFlow

  init(_ flow: CallFlow) { self.flow = flow }

  // Elsewhere: the last reference may be released with a lock held.
  deinit { WorkerLink.deliveries.run { [flow] in flow.finished() } }
}

/// A call that waits for its start. Its promise is settled as that of the call is.
final class WaitingCall: Sendable {
  private struct State {
    var started: Promise<PluginValue>?
    var isDiscarded = false
  }

  let promise: Promise<PluginValue>
  private let begin: @Sendable () -> Promise<PluginValue>
  private let state: Mutex<State>

  /// `begin` starts the call. `remove` takes it out of the queue, unless it has started.
  init(begin: @escaping @Sendable () -> Promise<PluginValue>, remove: @escaping @Sendable () -> WaitingCall?) {
    let weak = WeakCall()
    self.begin = begin
    state = Mutex(State())
    promise = Promise<PluginValue>(discard: { if remove() == nil { weak.call?.discard() } })
    weak.call = self
  }

  /// A reference that does not keep a discarded call alive.
  private final class WeakCall: Sendable {
    // Written before the promise has a user.
    nonisolated(unsafe) weak var call: WaitingCall?
  }

  func start() {
    let started = begin()
    let isDiscarded = state.withLock { state in
      state.started = started
      return state.isDiscarded
    }
    if isDiscarded { started.discard() }
    // Until the call has ended, it can be discarded.
    started.then({ [self] in promise.resolve($0) }, { [self] in promise.reject($0) })
  }

  private func discard() {
    let started = state.withLock { state in
      state.isDiscarded = true
      return state.started
    }
    started?.discard()
  }
}
