import Foundation

/// A pseudo-random generator. Its numbers depend on its own seed and on that of the run.
struct Dice {
  /// The seed of this run: drawn and printed, or the one in the environment, which repeats a run.
  static let run: UInt64 = {
    let given = ProcessInfo.processInfo.environment["STREAM_RACES_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: 0..<1_000_000_000)
    print("STREAM_RACES_SEED=\(seed)")
    return seed
  }()

  private var state: UInt64

  init(seed: Int) { state = (Dice.run &+ UInt64(seed)) &* 0x9e37_79b9_7f4a_7c15 | 1 }

  /// Returns a number from 0 up to but not including `sides`.
  mutating func roll(_ sides: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(sides))
  }
}
