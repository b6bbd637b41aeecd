import Promises

/// The measured streams of this library.
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

  /// Publishes `count` events through ten operators to an asynchronous sequence, and waits; returns the sum of the
  /// values that pass. The publishing task waits while the sequence is full.
  static func values(_ count: Int) -> Int {
    blocking {
      let publisher = Publisher<Int, Never>()
      let values = derive(publisher).values(buffer: .bounded(64))
      Task.detached {
        for number in 0..<count where publisher.publish(number) == .full { _ = await publisher.ready().settled() }
        publisher.cancelAll()
      }
      var sum = 0
      for await value in values { sum &+= value }
      return sum
    }
  }

  /// Publishes `count` events to a publisher, whose groups are paired with those of another one; returns the sum of
  /// all. A part of the operators is not fused.
  @inline(never)
  static func zipped(_ count: Int) -> Int {
    var sum = 0
    let first = Publisher<Int, Never>()
    let other = Publisher<Int, Never>()
    let stages = sums(first)
      .buffer(4)
      .zipWith(other.subscriber())
      .onNewData { (values: [Int], other: Int) -> Void in sum &+= values.reduce(other, &+) }
    for number in 0..<count {
      first.publish(number)
      if number < count / 4 { other.publish(number) }
    }
    withExtendedLifetime(stages) {}
    return sum
  }

  /// Does the same with groups of the merged events of two publishers.
  @inline(never)
  static func joined(_ count: Int) -> Int {
    var sum = 0
    let first = Publisher<Int, Never>()
    let second = Publisher<Int, Never>()
    let other = Publisher<Int, Never>()
    let stages = sums(first)
      .mergeWith(second.subscriber())
      .buffer(4)
      .zipWith(other.subscriber())
      .onNewData { (values: [Int], other: Int) -> Void in sum &+= values.reduce(other, &+) }
    for number in 0..<count {
      first.publish(number)
      second.publish(number)
      if number < count / 2 { other.publish(number) }
    }
    withExtendedLifetime(stages) {}
    return sum
  }

  private static func sums(_ publisher: Publisher<Int, Never>) -> Subscriber<Int, Never> {
    publisher.subscriber()
      .mapValues { (value: Int) -> Int? in value }
      .filterNil()
      .distinctValues()
      .scan(0) { (sum: Int, value: Int) -> Int in sum &+ value }
  }

  static func derive(_ publisher: Publisher<Int, Never>) -> Subscriber<Int, Never> {
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
