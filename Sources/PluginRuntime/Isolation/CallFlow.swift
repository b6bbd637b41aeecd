import Dispatch
import Promises
import Synchronization

/// The calls of one plugin that wait: for others to end, if there is a limit, or while plugin generations are
/// exchanged.
///
/// A call starts, waits, or is refused. Calls start in the order in which they were made.
final class CallFlow: Sendable {
  enum Decision: Sendable { case start, waits, overloaded, closed }

  private struct State {
    /// The number of calls that a worker has not answered; they are counted only if they are limited.
    var running = 0
    /// The number of calls that have left the queue, and are being started.
    var starting = 0
    /// Waiting calls by number; numbers grow.
    var waiting: [UInt64: WaitingCall] = [:]
    /// The promises among the arguments of calls that wait, by their ids, and how often.
    var awaited: [UInt64: Int] = [:]
    /// The lowest number that a waiting call may have.
    var first: UInt64 = 0
    var next: UInt64 = 0
    var isHeld = false
    var isClosed = false

    /// Whether the last call that waited has started after the flow was closed.
    var isEmptied: Bool { isClosed && waiting.isEmpty && starting == 0 }

    mutating func queue(_ call: WaitingCall, _ number: UInt64) {
      waiting[number] = call
      first = min(first, number)
      for promise in call.awaited { awaited[promise, default: 0] += 1 }
    }

    /// Removes and returns the call that has waited longest.
    mutating func takeFirst() -> WaitingCall? {
      guard !waiting.isEmpty else { return nil }
      while true {
        defer { first += 1 }
        if let call = takeOut(first) { return call }
      }
    }

    mutating func takeOut(_ number: UInt64) -> WaitingCall? {
      guard let call = waiting.removeValue(forKey: number) else { return nil }
      for promise in call.awaited {
        let count = awaited[promise] ?? 0
        awaited[promise] = count > 1 ? count - 1 : nil
      }
      return call
    }
  }

  private let limits: CallLimits
  private let state = Mutex(State())
  /// Signalled when the last waiting call starts after the flow was closed.
  private let emptied = DispatchSemaphore(value: 0)

  init(_ limits: CallLimits) { self.limits = limits }

  /// Returns the number for a new call that may have to wait.
  func newNumber() -> UInt64 {
    state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Decides on a new call, and queues it if it waits. To learn the decision, call without `call` first: making a
  /// `WaitingCall` may run a trace's closure of the program, and so must not happen under the lock.
  func admit(_ call: WaitingCall? = nil, number: UInt64 = 0) -> Decision {
    state.withLock { state in
      if state.isClosed { return .closed }
      if !state.isHeld, state.waiting.isEmpty, state.running < limits.inFlight {
        if limits.areSet { state.running += 1 }
        return .start
      }
      guard state.isHeld || limits.whenFull == .wait, state.waiting.count < limits.queue else { return .overloaded }
      if let call { state.queue(call, number) }
      return .waits
    }
  }

  /// Whether a call starts without being counted: calls are not limited, and none waits.
  var startsAtOnce: Bool {
    !limits.areSet && state.withLock { !$0.isClosed && !$0.isHeld && $0.waiting.isEmpty }
  }

  /// Returns the slot that a started call keeps until its worker has answered; `nil` if calls are not limited.
  func slot() -> CallSlot? { limits.areSet ? CallSlot(self) : nil }

  /// Removes the waiting call with that number, which was discarded or has timed out; `nil` if it has started.
  func remove(_ number: UInt64) -> WaitingCall? {
    state.withLock { state in
      guard let call = state.takeOut(number) else { return nil }
      if state.isEmptied { emptied.signal() }
      return call
    }
  }

  /// Whether a call that waits has a promise among its arguments.
  func awaits(_ promise: Promise<PluginValue>) -> Bool { state.withLock { $0.awaited[promise.id] != nil } }

  /// Frees the place of a call that a worker has answered.
  fileprivate func finished() { startNext { $0.running -= 1 } }

  /// Makes all new calls wait.
  func hold() { state.withLock { $0.isHeld = true } }

  /// Starts the calls that waited.
  func release() { startNext { $0.isHeld = false } }

  private func startNext(after change: (inout State) -> Void) {
    let started = state.withLock { state in
      change(&state)
      var started: [WaitingCall] = []
      while !state.isHeld, state.running < limits.inFlight, let call = state.takeFirst() {
        started.append(call)
        if limits.areSet { state.running += 1 }
      }
      state.starting += started.count
      return started
    }
    if started.isEmpty { return }
    for call in started { call.start() }
    // Signalled after the calls have started: unload() then closes the workers, which would not accept them.
    let isLast = state.withLock { state in
      state.starting -= started.count
      return state.isEmptied
    }
    if isLast { emptied.signal() }
  }

  /// Refuses new calls. Waits until the waiting calls have started, at most until the deadline. Returns the others.
  func close(deadline: DispatchTime) -> [WaitingCall] {
    let isEmpty = state.withLock { state in
      state.isClosed = true
      return state.isEmptied
    }
    if !isEmpty { _ = emptied.wait(timeout: deadline) }
    return state.withLock { state in
      defer { (state.waiting, state.awaited) = ([:], [:]) }
      return state.waiting.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

/// The place of a call among those in flight, which is free again when the last reference to it is released.
final class CallSlot: Sendable {
  private let flow: CallFlow

  init(_ flow: CallFlow) { self.flow = flow }

  // Not on this thread: the last reference may be released with a lock held.
  deinit { WorkerLink.deliveries.run { [flow] in flow.finished() } }
}

/// A call that waits for its start, and its promise.
final class WaitingCall: Sendable {
  private struct State {
    var stop: (@Sendable () -> Void)?
    var requestCancel: (@Sendable () -> Void)?
    var isDiscarded = false
    var isCancelRequested = false
  }

  /// The state of discards and requests. The promise holds this and not the call, which holds the promise.
  private final class Discarding: Sendable {
    let state = Mutex(State())
  }

  let promise: Promise<PluginValue>
  /// The demand for the result, which stays in its worker if a later call takes it and nobody reads it.
  let demand: ResultDemand
  /// The ids of the promises among the arguments.
  let awaited: [UInt64]
  private let begin: @Sendable (WaitingCall) -> Promise<PluginValue>
  private let discarding: Discarding

  /// Makes a call that waits, with a pending promise.
  ///
  /// `begin` starts the call. It returns `promise`, or another promise, which `promise` then follows. `remove` removes
  /// the call from the queue; it returns `nil` if the call has started.
  init(
    awaiting awaited: [UInt64], begin: @escaping @Sendable (WaitingCall) -> Promise<PluginValue>,
    remove: @escaping @Sendable () -> WaitingCall?
  ) {
    let discarding = Discarding()
    self.awaited = awaited
    self.begin = begin
    self.discarding = discarding
    (promise, demand) = ResultDemand.promise(
      discard: {
        if remove() != nil { return }
        let stop = discarding.state.withLock { state in
          state.isDiscarded = true
          return state.stop
        }
        stop?()
      },
      requestCancel: {
        if let call = remove() {
          call.promise.discard()
          return
        }
        let request = discarding.state.withLock { state in
          state.isCancelRequested = true
          return state.requestCancel
        }
        request?()
      })
  }

  func start() {
    let started = begin(self)
    guard started !== promise else { return }
    // Not on this thread: a reload starts the calls that waited, and reactions may wait for its end.
    WorkerLink.deliveries.run { [promise] in started.then({ promise.resolve($0) }, { promise.reject($0) }) }
  }

  /// Notes that a worker has the call. `stop` asks the worker to stop the call, and runs at once after a discard;
  /// `requestCancel` passes a request to cancel on, and runs at once after such a request.
  func didStart(stop: @escaping @Sendable () -> Void, requestCancel: @escaping @Sendable () -> Void) {
    let (isDiscarded, isCancelRequested) = discarding.state.withLock { state in
      (state.stop, state.requestCancel) = (stop, requestCancel)
      return (state.isDiscarded, state.isCancelRequested)
    }
    if isDiscarded {
      stop()
    } else if isCancelRequested {
      requestCancel()
    }
  }
}
