import AsyncAlgorithms

/// Asynchronous sequences, which channels of swift-async-algorithms feed, each from a task.
enum Channel {
  /// Sends `count` events through ten operators, and waits; returns the sum of the values that pass.
  static func run(_ count: Int) -> Int {
    blocking { await consume(sending(count)) }
  }

  /// Sends `count` events to each of two channels, which are joined with a third one; returns the sum of all.
  static func joined(_ count: Int) -> Int {
    blocking {
      var sum = 0
      let stage1 = sending(count).map { (value: Int) -> Int? in value }
      let stage2 = stage1.compacted()
      let stage3 = stage2.removeDuplicates()
      let stage4 = stage3.reductions(0) { (sum: Int, value: Int) -> Int in sum &+ value }
      let stage5 = merge(stage4, sending(count))
      let stage6 = stage5.chunks(ofCount: 4)
      for await (values, other) in zip(stage6, sending(count / 2)) { sum &+= values.reduce(other, &+) }
      return sum
    }
  }

  private static func sending(_ count: Int) -> AsyncChannel<Int> {
    let channel = AsyncChannel<Int>()
    Task.detached {
      for number in 0..<count { await channel.send(number) }
      channel.finish()
    }
    return channel
  }

  private static func consume(_ channel: AsyncChannel<Int>) async -> Int {
    var sum = 0
    // One statement for each operator: in one expression the compiler would try every combination of their overloads.
    let stage1 = channel.map { (value: Int) -> Int in value &+ 1 }
    let stage2 = stage1.filter { (value: Int) -> Bool in value & 7 != 0 }
    let stage3 = stage2.map { (value: Int) -> Int in value &* 3 }
    let stage4 = stage3.compactMap { (value: Int) -> Int? in value > 0 ? value : nil }
    let stage5 = stage4.map { (value: Int) -> Int in value ^ 5 }
    let stage6 = stage5.filter { (value: Int) -> Bool in value != -1 }
    let stage7 = stage6.map { (value: Int) -> Int in value &+ 7 }
    let stage8 = stage7.compactMap { (value: Int) -> Int? in value != -9 ? value : nil }
    let stage9 = stage8.map { (value: Int) -> Int in value >> 1 }
    let stage10 = stage9.filter { (value: Int) -> Bool in value >= 0 }
    for await value in stage10 { sum &+= value }
    return sum
  }
}
