import OpenCombine

/// Operators of OpenCombine.
enum Combined {
  /// Sends `count` events through ten operators; returns the sum of the values that pass.
  @inline(never)
  static func run(_ count: Int) -> Int {
    var sum = 0
    let subject = PassthroughSubject<Int, Never>()
    // One statement for each operator: in one expression the compiler would try every combination of their overloads.
    let stage1 = subject.map { (value: Int) -> Int in value &+ 1 }
    let stage2 = stage1.filter { (value: Int) -> Bool in value & 7 != 0 }
    let stage3 = stage2.map { (value: Int) -> Int in value &* 3 }
    let stage4 = stage3.compactMap { (value: Int) -> Int? in value > 0 ? value : nil }
    let stage5 = stage4.map { (value: Int) -> Int in value ^ 5 }
    let stage6 = stage5.filter { (value: Int) -> Bool in value != -1 }
    let stage7 = stage6.map { (value: Int) -> Int in value &+ 7 }
    let stage8 = stage7.compactMap { (value: Int) -> Int? in value != -9 ? value : nil }
    let stage9 = stage8.map { (value: Int) -> Int in value >> 1 }
    let stage10 = stage9.filter { (value: Int) -> Bool in value >= 0 }
    let stages = stage10.sink { (value: Int) -> Void in sum &+= value }
    for number in 0..<count { subject.send(number) }
    withExtendedLifetime(stages) {}
    return sum
  }
  /// Sends `count` events to a subject, whose groups are paired with those of another one; returns the sum of all.
  @inline(never)
  static func zipped(_ count: Int) -> Int {
    var sum = 0
    let first = PassthroughSubject<Int, Never>()
    let other = PassthroughSubject<Int, Never>()
    let stage1 = first.map { (value: Int) -> Int? in value }
    let stage2 = stage1.compactMap { (value: Int?) -> Int? in value }
    let stage3 = stage2.removeDuplicates()
    let stage4 = stage3.scan(0) { (sum: Int, value: Int) -> Int in sum &+ value }
    let stage5 = stage4.collect(4)
    let stages = stage5.zip(other).sink { (values: [Int], other: Int) -> Void in sum &+= values.reduce(other, &+) }
    for number in 0..<count {
      first.send(number)
      if number < count / 4 { other.send(number) }
    }
    withExtendedLifetime(stages) {}
    return sum
  }
}
