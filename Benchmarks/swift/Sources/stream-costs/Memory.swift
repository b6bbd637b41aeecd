import CReport
import Promises

/// The memory that a process uses, in bytes.
struct Memory {
  let allocated = statistics_allocated()
  let resident = statistics_resident()

  /// Returns the memory after `few` and after `many` events of a stream with ten operators and consumers of each kind:
  /// a callback, groups, a replay, a full buffer without demand, and a demand of one event at a time.
  static func used(after few: Int, and many: Int) -> (few: Memory, many: Memory) {
    let publisher = Publisher<Int, Never>()
    let stages = Ours.derive(publisher)
    var sum = 0
    let kept = (
      stages.onNewData { sum &+= $0 }, stages.buffer(4).onNewData { sum &+= $0.count },
      stages.replay(16).onNewData { sum &+= $0 }, stages.subscribe(demand: 0, buffer: .newest(8)) { _ in }
    )
    let asking = stages.subscribe(demand: 0) { _ in sum &+= 1 }
    func publish(_ numbers: Range<Int>) -> Memory {
      for number in numbers {
        publisher.publish(number)
        asking.request(1)
      }
      return Memory()
    }
    defer { withExtendedLifetime((publisher, kept, asking)) {} }
    return (publish(0..<few), publish(few..<many))
  }
}
