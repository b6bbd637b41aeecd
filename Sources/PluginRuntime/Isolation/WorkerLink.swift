import CPluginEdge
import Glibc
import Promises
import Synchronization

/// The state that the threads of a host share with the thread that serves one isolated plugin: its calls, and the bytes
/// that are to be sent.
///
///     waiting --open()--> open --end(keepingUnsent:)--> waiting ...
///     waiting, open --beginClosing(end:)--> closing --close()--> closed
///     waiting --close()--> closed                 no worker has loaded the plugin
///
/// A call that comes while the link waits is sent once a worker has loaded the plugin.
final class WorkerLink: Sendable {
  enum Phase: Sendable { case waiting, open, closing, closed }

  /// A callback that a worker may run.
  struct SentCallback: Sendable {
    let callback: PluginCallback
    /// Whether it was run, and is of the scope `once`.
    var isOver = false
  }

  struct State {
    var phase = Phase.waiting
    var generation = 0
    /// The number of the process in its handles.
    var worker: UInt32 = 0
    var calls = RemoteCalls()
    var kept = KeptResults()
    /// Calls whose frames are to be sent once a worker has loaded the plugin, in their order.
    var unsent: [UInt64] = []
    /// The callbacks that the worker may run, by their numbers.
    var callbacks: [UInt64: SentCallback] = [:]
    var crossedEnds = CrossedEnds()
    /// Calls of other plugins, by the numbers of the worker.
    var foreign: [UInt64: ForeignCall] = [:]
    /// The promises among arguments that were settled by frames.
    var settled = 0
    /// The number of callbacks and calls of other plugins that the worker waits for.
    var questions = 0
    /// The earliest time at which a call is to be stopped, or its worker killed.
    var nextTime: ContinuousClock.Instant?
    /// The time at which calls are given up, while the link closes.
    var end: ContinuousClock.Instant?
    /// Whether the circuit is open: calls are rejected, and start no worker.
    var isQuarantined = false
    /// The reason for which the worker is to be killed.
    var killReason: String?
    /// Whether the thread that serves the link has no time to wake at, so that a call has to wake it.
    var isAsleep = false

    /// Whether a call has not ended, or has a result that its worker keeps.
    private func has(_ request: UInt64) -> Bool { calls[request] != nil || kept[request] != nil }

    /// Notes a call and its callbacks. `isOpen`: it is to be sent at once. `needsWakeup`: the thread that serves the
    /// link has something to do.
    mutating func note(_ call: RemoteCall) -> (acceptance: Acceptance, isOpen: Bool, needsWakeup: Bool) {
      guard phase == .waiting || phase == .open else { return (.closing, false, false) }
      // The host may have refused a result that the worker still has.
      for result in call.arguments.results where !has(result.request) { return (.outdated, false, false) }
      let isOpen = phase == .open
      if isOpen { noteCallbacks(call) } else { unsent.append(call.request) }
      // If the thread sleeps, nobody would notice that the worker is stopped, or does not read.
      var needsWakeup = !isOpen || isAsleep
      if let time = call.nextTime, time < nextTime ?? time + .seconds(1) {
        nextTime = time
        needsWakeup = true
      }
      calls.insert(call)
      return (.taken, isOpen, needsWakeup)
    }

    /// Opens the link when a worker has loaded the plugin. Returns the calls that were made before.
    mutating func open() -> [RemoteCall] {
      if phase == .waiting { phase = .open }
      defer { unsent = [] }
      let waited = unsent.compactMap { calls[$0] }
      for call in waited { noteCallbacks(call) }
      return waited
    }

    private mutating func noteCallbacks(_ call: RemoteCall) {
      for (number, callback) in call.arguments.callbacks { callbacks[number] = SentCallback(callback: callback) }
    }

    /// Removes and returns a call that was sent, which has ended or was given up. The worker can no longer run those of
    /// its callbacks whose scope ends with the call. The call keeps their closures: they are released with it.
    mutating func remove(_ request: UInt64) -> RemoteCall? {
      guard let call = calls.removeValue(forKey: request) else { return nil }
      for (number, callback) in call.arguments.callbacks where callback.scope == .call || callback.scope == .settled {
        callbacks[number] = nil
      }
      return call
    }

    /// Returns a callback that the worker runs; `nil` if its scope has ended.
    mutating func callbackToRun(_ number: UInt64) -> PluginCallback? {
      guard let sent = callbacks[number], !sent.isOver else { return nil }
      if sent.callback.scope == .once { callbacks[number]?.isOver = true }
      return sent.callback
    }
  }

  let state = Mutex(State())
  /// Taken before the lock of the state.
  let sender = Mutex(FrameSender())
  private let requests = Atomic<UInt64>(0)
  /// The number of bytes that were received from the workers, with those in shared memory. Written by one thread.
  let received = Atomic<UInt64>(0)
  /// An eventfd that wakes the thread that serves the link.
  let wakeup: Int32

  /// Makes a link without a worker; `nil` if the process has no descriptor left.
  init?(questionThreads: Int = WorkerLink.threads) {
    questions = CallThreads(limit: questionThreads)
    wakeup = plugin_process_new_event()
    if wakeup < 0 { return nil }
  }

  deinit { if wakeup >= 0 { Glibc.close(wakeup) } }

  /// Threads for the reactions of promises, and for the release of closures of the program.
  static let deliveries = CallThreads(limit: threads)
  /// Threads for callbacks and calls of other plugins, which may wait. Those of one worker do not delay others.
  let questions: CallThreads
  /// The maximum number of threads of each pool, in the host and in a worker.
  static let threads = 4_000

  func takeWakeup() {
    var count: UInt64 = 0
    _ = read(wakeup, &count, 8)
  }

  func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
  }

  /// Sends a frame if a worker is open; with a generation, only to the worker of that generation. Returns the error if
  /// the body cannot be encoded.
  @discardableResult
  func send(_ frame: Frame, to generation: Int? = nil) -> CBORError? {
    do {
      let encoded = try frame.encoded()
      // A handle in the frame is released after it.
      if withExtendedLifetime(frame, { sender.withLock { $0.send(encoded, to: generation) } }) { wake() }
      return nil
    } catch {
      return error
    }
  }

  /// The acceptance of a call.
  enum Acceptance: Sendable {
    case taken
    /// The link accepts no more calls.
    case closing
    /// The worker does not read.
    case full
    /// A call whose result is an argument has ended since the frame was encoded.
    case outdated
  }

  /// Notes a call and sends it, or leaves it for the next worker.
  func begin(_ call: RemoteCall) -> Acceptance {
    let (acceptance, isSent, needsWakeup) = sender.withLock { sender -> (Acceptance, Bool, Bool) in
      if sender.isFull { return (.full, false, false) }
      let noted = state.withLock { $0.note(call) }
      guard noted.isOpen else { return (noted.acceptance, false, noted.needsWakeup) }
      let needsWakeup = sender.send(call.takeFrame())
      return (.taken, true, needsWakeup || noted.needsWakeup)
    }
    if needsWakeup { wake() }
    if isSent { call.arguments.settleLater(self) }
    return acceptance
  }

  func newRequest() -> UInt64 { requests.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Asks the worker to stop a call. The worker is killed if the call has not ended after `grace`.
  func cancel(_ request: UInt64, grace: Duration) {
    // Released outside the lock: closures of callbacks may hold the last references to objects of the program.
    let (unsent, isSent) = state.withLock { state -> (RemoteCall?, Bool) in
      guard state.calls[request] != nil, state.calls[request]?.killTime == nil else { return (nil, false) }
      if let index = state.unsent.firstIndex(of: request) {
        state.unsent.remove(at: index)
        return (state.calls.removeValue(forKey: request), false)
      }
      let time = ContinuousClock.now + grace
      state.calls[request]?.killTime = time
      state.nextTime = min(state.nextTime ?? time, time)
      return (nil, true)
    }
    _ = consume unsent
    if isSent {
      send(Frame(.cancel, request))
      wake()
    }
  }

  /// Passes a request to cancel to the worker, or discards a call that was not sent.
  func requestCancel(_ request: UInt64) {
    let (unsent, isSent) = state.withLock { state -> (RemoteCall?, Bool) in
      guard let call = state.calls[request] else { return (nil, false) }
      return state.unsent.contains(request) ? (call, false) : (nil, true)
    }
    if let unsent {
      unsent.promise.discard()
    } else if isSent {
      send(Frame(.requestCancel, request))
    }
  }

  /// Opens the link when the worker has loaded the plugin, and sends the calls that were made before.
  func open() {
    let sent = sender.withLock { sender in
      let calls = state.withLock { $0.open() }
      for call in calls { _ = sender.send(call.takeFrame()) }
      return calls.map(\.arguments)
    }
    for arguments in sent { arguments.settleLater(self) }
  }

  /// Removes and returns the calls of a worker that has ended, those whose results it kept among them.
  ///
  /// `keepingUnsent`: calls that were not sent stay for the next worker, unless the link closes.
  func end(keepingUnsent: Bool) -> [RemoteCall] {
    let (calls, callbacks, foreign) = moveKept { state, promises in
      let unsent = Set(state.phase == .closing || !keepingUnsent ? [] : state.unsent)
      let ended = state.calls.sorted.filter { !unsent.contains($0.request) }
      for call in ended { state.calls.removeValue(forKey: call.request) }
      let lost = state.kept.moveToHost(&promises)
      state.unsent.removeAll { !unsent.contains($0) }
      defer { (state.callbacks, state.foreign) = ([:], [:]) }
      if state.phase == .open { state.phase = .waiting }
      return (ended + lost, state.callbacks, state.foreign)
    }
    // Not on this thread: discard blocks and closures of the program may wait.
    for call in foreign.values { Self.deliveries.run { call.cancel() } }
    Self.deliveries.release(all: consume foreign)
    Self.deliveries.release(all: consume callbacks)
    return calls
  }
}
