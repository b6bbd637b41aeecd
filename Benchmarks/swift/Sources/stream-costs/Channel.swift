import AsyncAlgorithms
import Dispatch
import Synchronization

/// Ten operators on an asynchronous sequence, which a channel of swift-async-algorithms feeds.
enum Channel {
  /// Sends `count` events through ten operators, and waits; returns the sum of the values that pass.
  static func run(_ count: Int) -> Int {
    let done = DispatchSemaphore(value: 0)
    let channel = AsyncChannel<Int>()
    let total = Box()
    Task.detached {
      for number in 0..<count { await channel.send(number) }
      channel.finish()
    }
    Task.detached {
      total.sum.store(await consume(channel), ordering: .relaxed)
      done.signal()
    }
    done.wait()
    return total.sum.load(ordering: .relaxed)
  }

  private final class Box: Sendable { let sum = Atomic<Int>(0) }

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
