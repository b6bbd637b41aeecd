/// Reproducible random numbers: SplitMix64.
package struct Dice: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator: the same seed gives the same numbers.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns a number from 0 up to, but not including, `sides`.
  package mutating func roll(_ sides: Int) -> Int { Int(next() % UInt64(max(sides, 1))) }
  package mutating func chance(_ percent: Int) -> Bool { roll(100) < percent }
  package mutating func pick<T>(_ choices: [T]) -> T { choices[roll(choices.count)] }
}
