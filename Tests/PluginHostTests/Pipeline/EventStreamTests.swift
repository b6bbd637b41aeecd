import Dispatch
import Foundation
import PromisesTestSupport
import Testing

@testable import PluginRuntime
@testable import plugin_host

@Suite struct EventStreamTests {
  @Test("a callback waits, without the slot of its call, once the buffer of a step is full", arguments: [1, 3])
  func capacity(_ capacity: Int) throws {
    let slots = Slots(limit: 1)
    let stream = EventStream(capacity: capacity, consumers: [7], slots: slots)
    let parameter = try #require(try Signature(parsing: "each(f: fn(i: i64))").parameters.first)
    let type = try #require(parameter.type.callbackType)
    let outlet = PipelinePlan.Outlet(parameter: "f", type: type, capacity: capacity, returned: .void)
    guard case .values(let give) = stream.callback(outlet).body else { fatalError("not a closure on values") }
    let given = Recorder<Int>()
    let (hasSlot, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let plugin = Thread {
      slots.enter {
        hasSlot.signal()
        for number in 1...capacity + 2 {
          given.record(number)
          _ = try? give([.int(Int64(number))])
        }
        slots.leave()
        hasEnded.signal()
      }
    }
    plugin.start()
    hasSlot.wait()
    let isFree = DispatchSemaphore(value: 0)
    slots.enter { isFree.signal() }
    isFree.wait()
    #expect(given.events == Array(1...capacity))
    stream.finish()
    slots.leave()
    hasEnded.wait()
  }

  @Test("the cost of an event does not grow with the number of events before it")
  func costIsConstant() throws {
    let parameter = try #require(try Signature(parsing: "each(f: fn(i: i64))").parameters.first)
    let type = try #require(parameter.type.callbackType)
    let outlet = PipelinePlan.Outlet(parameter: "f", type: type, capacity: 4, returned: .void)
    func isConstant(_ times: [Double]) -> Bool { times[1] < 3 * times[0] }
    let times = try least(until: isConstant) {
      let stream = EventStream(capacity: 4, consumers: [7], slots: Slots(limit: 1))
      let consumer = try #require(stream.consumer(7))
      consumer.begin(1) { if $0 != nil { consumer.next() } }
      guard case .values(let give) = stream.callback(outlet).body else { fatalError("not a closure on values") }
      let times = try (0..<8).map { _ in
        try threadTime { for number in 0..<2_000 as Range<Int64> { _ = try give([.int(number)]) } }
      }
      stream.finish()
      return [times[..<4].min() ?? 0, times[4...].min() ?? 0]
    }
    #expect(isConstant(times), "\(times) ns for events at the beginning, and for later ones")
  }
}
