import CPlatform

/// The state of an operator on the times of events: one pending event, and one timer. Guarded by the lock of the
/// target, which publishes under it: so a timer that fires while an event or the end arrives publishes before or after
/// it.
///
/// Events move the deadline, not the timer: one that fires early starts the next. So a burst of events takes one timer.
@safe
struct Pacing {
  let kind: PacingKind
  let interval: Int64
  let clock: PacingClock
  /// The event that a timeout publishes before it ends the stream.
  var silence: StreamEvent?
  /// The end of a stream that is silent for too long.
  let endOfSilence: StreamEnding
  var pending: StreamEvent?
  /// The time of the next action: a debounce or a throttle publishes the pending event, a timeout ends the stream.
  var deadline = Int64.min
  /// The latest timer; nil until it has started.
  var timer: PacingTimer?
  /// The number of the latest timer, so that older ones are ignored.
  var number: UInt64 = 0
  /// Whether the latest timer has yet to fire.
  var isArmed = false
  /// Whether a timeout has found the source silent: later events are dropped.
  var isOver = false

  /// Returns the number of a timer to start, unless one is under way already.
  mutating func arm() -> UInt64? {
    guard !isArmed else { return nil }
    isArmed = true
    number &+= 1
    return number
  }

  mutating func beginInterval(at now: Int64) { deadline = CellTimer.deadline(interval, after: now) }

  /// Stops the timer, and returns it with the events, to be released outside the lock.
  mutating func stop() -> Stopped {
    defer { (timer, pending, silence, isArmed) = (nil, nil, nil, false) }
    return Stopped(timer: timer, pending: pending, silence: silence)
  }

  struct Stopped {
    let timer: PacingTimer?
    let pending: StreamEvent?
    let silence: StreamEvent?

    func release() {
      timer?.cancel()
      timer?.release()
      pending?.release()
      silence?.release()
    }
  }
}

/// An operator on the times of events.
package enum PacingKind {
  /// Publishes an event when no other one followed it for the interval.
  case debounce
  /// Publishes one event in an interval: the first, then, at its end, the latest.
  case throttle
  /// Publishes the first event of an interval, and drops those that follow in it.
  case throttleFirst
  /// Ends when no event was published for the interval.
  case timeout
}

extension CellPublisher {
  /// Returns a publisher of this one's events at other times, with one handle. With `passesErrors`, errors do not wait,
  /// and pass after the pending event. A timeout publishes `silence`, which it takes ownership of, and ends with
  /// `endOfSilence`. Nil when memory or threads have run out.
  package func paced(
    _ kind: PacingKind, nanoseconds: Int64, on clock: PacingClock, passesErrors: Bool = false,
    silence: StreamEvent? = nil, endOfSilence: StreamEnding = .fault(.silent)
  ) -> CellPublisher? {
    guard let memory = unsafe malloc(MemoryLayout<Pacing>.size) else {
      silence?.release()
      return nil
    }
    if case .system(let executor?) = clock, !executor.ref.retain() {
      unsafe platform_free(memory)
      silence?.release()
      return nil
    }
    var state = State(isStateful: isStateful)
    let pacing = unsafe memory.bindMemory(to: Pacing.self, capacity: 1)
    unsafe pacing.initialize(
      to: Pacing(kind: kind, interval: nanoseconds, clock: clock, silence: silence, endOfSilence: endOfSilence))
    unsafe state.pacing = unsafe pacing
    guard let target = CellPublisher.derived(state, count: 1) else {
      unsafe CellPublisher.free(pacing)
      return nil
    }
    let operation = Stage.Operation.pace(clock, passesErrors: passesErrors)
    guard target.connect({ _ in operation }, count: 1, { _ in self }) != nil else { return nil }
    guard kind == .timeout else { return target }
    let now = clock.now
    let number = target.locked { state -> UInt64? in
      guard state.ending == nil else { return nil }
      unsafe state.pacing?.pointee.beginInterval(at: now)
      return unsafe state.pacing?.pointee.arm()
    }
    if let number, !target.startPacingTimer(number) {
      target.releaseHandle()
      return nil
    }
    return target
  }

  static func free(_ pacing: UnsafeMutablePointer<Pacing>?) {
    guard let pacing = unsafe pacing else { return }
    unsafe pacing.pointee.stop().release()
    if case .system(let executor?) = unsafe pacing.pointee.clock { executor.ref.release() }
    // The closures of a clock are released.
    Delivery.callOut { _ = unsafe pacing.deinitialize(count: 1) }
    unsafe platform_free(pacing)
  }

  /// Takes ownership of an event of the source. The time is read before the lock is taken: a clock may be the user's.
  func pace(_ event: StreamEvent, _ clock: PacingClock) {
    let now = clock.now
    var replaced: StreamEvent?
    var armed: UInt64?
    let result = publishing { state in
      guard let pacing = unsafe state.pacing else { return nil }
      switch unsafe pacing.pointee.kind {
      case .timeout where unsafe pacing.pointee.isOver:
        replaced = event
        return nil
      case .timeout:
        unsafe pacing.pointee.beginInterval(at: now)
        return event
      case .debounce: unsafe pacing.pointee.beginInterval(at: now)
      case .throttle, .throttleFirst:
        guard unsafe pacing.pointee.pending != nil || now < pacing.pointee.deadline else {
          unsafe pacing.pointee.beginInterval(at: now)
          return event
        }
        if unsafe pacing.pointee.kind == .throttleFirst {
          replaced = event
          return nil
        }
      }
      replaced = unsafe pacing.pointee.pending
      unsafe pacing.pointee.pending = event
      armed = unsafe pacing.pointee.arm()
      return nil
    }
    if result == .ended { event.release() }
    replaced?.release()
    if let armed { _ = startPacingTimer(armed) }
  }

  /// Publishes the pending event, at the end of the source or before an error that does not wait.
  func flushPacing() {
    _ = publishing { state in
      defer { unsafe state.pacing?.pointee.pending = nil }
      return unsafe state.pacing?.pointee.pending
    }
  }

  /// Starts the timer with that number. False when memory or threads have run out: then the stream has failed.
  private func startPacingTimer(_ number: UInt64) -> Bool {
    let found = locked { state -> (clock: PacingClock, deadline: Int64)? in
      guard state.ending == nil, let pacing = unsafe state.pacing else { return nil }
      return unsafe (pacing.pointee.clock, pacing.pointee.deadline)
    }
    guard let found else { return true }
    guard let (timer, hasStarted) = start(on: found.clock, at: found.deadline) else {
      failPacing(.outOfMemory)
      return false
    }
    // The timer may have fired by now, and another thread may have started the next one.
    let (superfluous, isStopped) = locked { state -> (PacingTimer?, Bool) in
      guard state.ending == nil, let pacing = unsafe state.pacing else { return (timer, true) }
      guard unsafe pacing.pointee.isArmed, unsafe pacing.pointee.number == number else { return (timer, false) }
      defer { unsafe pacing.pointee.timer = timer }
      return unsafe (pacing.pointee.timer, false)
    }
    if isStopped { timer.cancel() }
    superfluous?.release()
    return hasStarted
  }

  /// Makes a timer, which refers weakly to the publisher, and starts it. Nil without memory for it.
  private func start(on clock: PacingClock, at deadline: Int64) -> (PacingTimer, hasStarted: Bool)? {
    let publisher = WeakCell(ref)
    switch clock {
    case .closures(let now, let schedule):
      let cancel = Delivery.callOut {
        schedule(max(0, deadline - now())) { publisher.with { CellPublisher($0).pacingTimerFired() } }
      }
      return (.closure(cancel), true)
    case .system(let executor):
      let made = unsafe CellTimer.make(
        on: executor, CellPublisher.firePacing, dropped: CellPublisher.dropPacing, publisher.context)
      guard let timer = made else { return nil }
      return (.system(timer), timer.start(at: deadline) { failPacing(.outOfMemory) })
    }
  }

  private static var firePacing: FreeFunction {
    { context in unsafe WeakCell(context: context).with { CellPublisher($0).pacingTimerFired() } }
  }

  /// Ends an open stream whose timer is dropped by an executor that shuts down.
  private static var dropPacing: FreeFunction {
    { context in unsafe WeakCell(context: context).with { CellPublisher($0).failPacing(.closed) } }
  }

  /// Publishes the pending event, then ends the stream.
  private func failPacing(_ fault: Fault) {
    flushPacing()
    _ = end(.fault(fault))
  }

  private func pacingTimerFired() {
    guard let clock = locked({ state in unsafe state.pacing?.pointee.clock }) else { return }
    let now = clock.now
    var ending: StreamEnding?
    var armed: UInt64?
    _ = publishing { state in
      guard let pacing = unsafe state.pacing else { return nil }
      unsafe pacing.pointee.isArmed = false
      guard unsafe now >= pacing.pointee.deadline else {
        armed = unsafe pacing.pointee.arm()
        return nil
      }
      if unsafe pacing.pointee.kind == .timeout {
        unsafe pacing.pointee.isOver = true
        defer { unsafe pacing.pointee.silence = nil }
        ending = unsafe pacing.pointee.endOfSilence
        return unsafe pacing.pointee.silence
      }
      guard let event = unsafe pacing.pointee.pending else { return nil }
      unsafe pacing.pointee.pending = nil
      unsafe pacing.pointee.beginInterval(at: now)
      return event
    }
    if let ending { _ = end(ending) }
    if let armed { _ = startPacingTimer(armed) }
  }
}
