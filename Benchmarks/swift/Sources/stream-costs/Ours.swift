import CReport
import Promises

/// The measured stream of this library.
enum Ours {
  /// Publishes `count` events through ten operators; returns the sum of the values that pass.
  @inline(never)
  static func run(_ count: Int) -> Int {
    var sum = 0
    let publisher = Publisher<Int, Never>()
    let stages = derive(publisher).onNewData { (value: Int) -> Void in sum &+= value }
    for number in 0..<count { publisher.publish(number) }
    withExtendedLifetime(stages) {}
    return sum
  }

  /// Returns the resident memory after `count` events, in bytes. The stream is still alive.
  static func memory(_ count: Int) -> Double {
    let publisher = Publisher<Int, Never>()
    let stages = derive(publisher)
    for number in 0..<count { publisher.publish(number) }
    return withExtendedLifetime(stages) { statistics_resident() }
  }

  private static func derive(_ publisher: Publisher<Int, Never>) -> Subscriber<Int, Never> {
    publisher.subscriber()
      .mapValues { (value: Int) -> Int in value &+ 1 }
      .filterValues { (value: Int) -> Bool in value & 7 != 0 }
      .mapValues { (value: Int) -> Int in value &* 3 }
      .compactMapValues { (value: Int) -> Int? in value > 0 ? value : nil }
      .mapValues { (value: Int) -> Int in value ^ 5 }
      .filterValues { (value: Int) -> Bool in value != -1 }
      .mapValues { (value: Int) -> Int in value &+ 7 }
      .compactMapValues { (value: Int) -> Int? in value != -9 ? value : nil }
      .mapValues { (value: Int) -> Int in value >> 1 }
      .filterValues { (value: Int) -> Bool in value >= 0 }
  }
}
