/// One run of a script: the promise, and a record of its events.
///
/// One thread runs at a time, so the record needs no lock, and its order is the order of the events.
final class Trial: Explorable {
  typealias Program = Script

  enum Event: Equatable {
    case called(probe: Int, thread: Int, value: UInt64, isRejected: Bool)
    case released(probe: Int)
    case discardBlock(isRejected: Bool)
    /// A settling step returned; whether the promise was settled then.
    case settled(thread: Int, won: Bool, value: UInt64, isRejected: Bool, isSettled: Bool)
    /// An attaching step began and ended.
    case attaching(probe: Int, thread: Int)
    case attached(probe: Int)
    case waited(thread: Int, isSettled: Bool)
  }

  let script: Script
  let promise: CellRef
  private(set) var events: [Event] = []
  /// The discard block's probe, then the probes attached before the threads begin, then the threads', in order.
  private(set) var probes: [Probe] = []
  /// The state of the promise at the end, if the test holds it.
  private(set) var last: (isSettled: Bool, isRejected: Bool, value: UInt64)?

  /// The value of a discarded promise, in the record.
  static let discarded: UInt64 = 99

  init(_ script: Script) {
    self.script = script
    let block = Probe(0, .discards, Scheduler.controller)
    promise = unsafe CellRef.discardable(
      { Probe.discard($0) }, Context(Unmanaged.passRetained(block).toOpaque(), { Probe.release($0) }))!
    block.trial = self
    probes = [block]
    attach(.observe, Scheduler.controller)
    attach(.derive, Scheduler.controller)
    for _ in script.threads { _ = promise.retain() }
    if !script.isHeld { promise.release() }
  }

  func record(_ event: Event) { events.append(event) }

  var bodies: [() -> Void] {
    script.threads.indices.map { thread in
      {
        for step in self.script.threads[thread] { self.make(step, thread) }
        self.promise.release()
      }
    }
  }

  private func make(_ step: Step, _ thread: Int) {
    let value = UInt64(thread * 10)
    switch step {
    case .observe, .derive, .map: attach(step, thread)
    case .resolve: settled(thread, value, false, promise.settle(CellValue(kind: .u64, bits: value), .fulfilled))
    case .reject: settled(thread, value + 1, true, promise.settle(CellValue(kind: .u64, bits: value + 1), .rejected))
    case .discard: settled(thread, Self.discarded, true, promise.discard())
    case .wait:
      let result = promise.wait(nanoseconds: -1)
      record(.waited(thread: thread, isSettled: result == .settled && promise.state.isSettled))
    }
  }

  private func settled(_ thread: Int, _ value: UInt64, _ isRejected: Bool, _ status: SettleStatus) {
    // Read in the same step: no thread switch in between.
    Scheduler.locks += 1
    let isSettled = promise.state.isSettled
    Scheduler.locks -= 1
    let won = status == .settled
    record(.settled(thread: thread, won: won, value: value, isRejected: isRejected, isSettled: isSettled))
  }

  private func attach(_ step: Step, _ thread: Int) {
    let probe = addProbe(step == .observe ? .observes : .derives, thread)
    record(.attaching(probe: probe.number, thread: thread))
    let context = unsafe Context(Unmanaged.passRetained(probe).toOpaque(), { Probe.release($0) })
    if step == .map {
      unsafe promise.then({ Probe.handle($0, $1, $2) }, context)!.ref.release()
    } else if step == .derive {
      let derived = unsafe promise.then({ Probe.handle($0, $1, $2) }, context)!.ref
      let second = addProbe(.observesDerived, thread)
      let secondContext = unsafe Context(Unmanaged.passRetained(second).toOpaque(), { Probe.release($0) })
      _ = unsafe derived.observe({ Probe.call($0, $1, false) }, { Probe.call($0, $1, true) }, secondContext)
      derived.release()
    } else {
      _ = unsafe promise.observe({ Probe.call($0, $1, false) }, { Probe.call($0, $1, true) }, context)
    }
    record(.attached(probe: probe.number))
  }

  private func addProbe(_ role: Probe.Role, _ thread: Int) -> Probe {
    let probe = Probe(probes.count, role, thread)
    probe.trial = self
    probes.append(probe)
    return probe
  }

  /// Records the state of the promise and releases it, after the threads have ended.
  func end() {
    guard script.isHeld else { return }
    let state = promise.state
    last = unsafe (state.isSettled, state.isRejected, Probe.bits(promise.cell.pointee.value))
    promise.release()
  }
}
