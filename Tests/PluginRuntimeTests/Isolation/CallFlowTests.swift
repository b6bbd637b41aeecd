import Dispatch
import Promises
import PromisesTestSupport
import Testing

import class Foundation.Thread

@testable import PluginRuntime

@Suite("Isolation: the calls in flight, and those that wait")
struct CallFlowTests {
  private let started = Recorder<UInt64>()

  private func flow(inFlight: Int = .max, queue: Int = .max) -> CallFlow {
    var limits = CallLimits()
    (limits.inFlight, limits.queue) = (inFlight, queue)
    return CallFlow(limits)
  }

  /// Returns a call that waits, and its number.
  @discardableResult
  private func wait(
    _ flow: CallFlow, _ number: UInt64? = nil, awaiting awaited: [UInt64] = []
  ) -> (call: WaitingCall, number: UInt64) {
    let number = number ?? flow.newNumber()
    let call = WaitingCall(
      awaiting: awaited,
      begin: { [started] call in
        started.record(number)
        return call.promise
      }, remove: { nil })
    #expect(flow.admit(call, number: number) == .waits)
    return (call, number)
  }

  @Test("as many calls wait as the limit says, and each call that ends starts one of them")
  func limits() async throws {
    let flow = flow(inFlight: 2, queue: 4)
    #expect(flow.admit() == .start && flow.admit() == .start)
    var slots = [flow.slot(), flow.slot()]
    let waits = (0..<4).map { _ in wait(flow) }
    #expect(flow.admit() == .overloaded)
    for count in 1...2 {
      slots.removeLast()
      try await waiting(for: { started.count >= count })
      // No other call starts at the same time, which waits for the slot of the one that has started.
      let more = wait(flow)
      #expect(flow.remove(more.number) === more.call)
      #expect(started.events == waits.prefix(count).map(\.number))
    }
    // The calls that came with the slots were removed.
    let left = flow.close(deadline: .now())
    #expect(left.map { ObjectIdentifier($0) } == waits.suffix(2).map { ObjectIdentifier($0.call) })
  }

  @Test("calls start in the order of their numbers, also if one is queued after its successor")
  func order() {
    let flow = flow()
    flow.hold()
    let numbers = (0..<3).map { _ in flow.newNumber() }
    for number in [numbers[2], numbers[0], numbers[1]] { wait(flow, number) }
    flow.release()
    #expect(started.events == numbers)
    // The queue was empty when the second call came, which has the smaller number.
    let (early, late) = (flow.newNumber(), flow.newNumber())
    for number in [late, early] {
      flow.hold()
      wait(flow, number)
      flow.release()
    }
    #expect(started.events == numbers + [late, early])
  }

  @Test("a promise is awaited until the last call that takes it has left the queue")
  func awaited() {
    let flow = flow()
    let (promise, other) = (Promise<PluginValue>(), Promise<PluginValue>())
    flow.hold()
    let calls = (0..<2).map { _ in wait(flow, awaiting: [promise.id]) }
    #expect(flow.awaits(promise) && !flow.awaits(other))
    #expect(flow.remove(calls[0].number) === calls[0].call)
    #expect(flow.awaits(promise))
    #expect(flow.remove(calls[0].number) == nil)
    #expect(flow.awaits(promise))
    flow.release()
    #expect(!flow.awaits(promise))
    #expect(started.events == [calls[1].number])
  }

  @Test("a closed queue is not emptied while its last call is being started")
  func starting() async throws {
    let flow = flow(inFlight: 1)
    #expect(flow.admit() == .start)
    let (entered, gate) = (Gate(), Gate())
    defer { gate.open() }
    let call = WaitingCall(
      awaiting: [],
      begin: { call in
        entered.open()
        gate.wait()
        return call.promise
      }, remove: { nil })
    #expect(flow.admit(call, number: flow.newNumber()) == .waits)
    _ = flow.slot()
    await onThread { entered.wait() }
    let left = Recorder<Int>()
    Thread.detachNewThread { left.record(flow.close(deadline: .now() + .seconds(3_600)).count) }
    try await waiting(for: { flow.admit() == .closed })
    #expect(left.events == [])
    gate.open()
    try await waiting(for: { left.events == [0] })
  }

  @Test("a closed queue takes no call, and is emptied as soon as its last call is removed")
  func closing() async throws {
    let flow = flow()
    flow.hold()
    let (_, number) = wait(flow)
    let left = Recorder<Int>()
    Thread.detachNewThread { left.record(flow.close(deadline: .now() + .seconds(3_600)).count) }
    try await waiting(for: { flow.admit() == .closed })
    #expect(left.events == [])
    #expect(flow.remove(number) != nil)
    try await waiting(for: { left.events == [0] })
  }
}
