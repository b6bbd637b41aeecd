/// Random numbers that a seed gives again: SplitMix64.
struct CheckDice: RandomNumberGenerator {
  private var state: UInt64

  /// A generator for one check: the same seed and name give the same numbers.
  init(seed: UInt64, name: String) {
    // FNV-1a.
    state = name.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to, but not including, `sides`.
  mutating func roll(_ sides: Int) -> Int { Int(next() % UInt64(max(sides, 1))) }
  mutating func chance(_ percent: Int) -> Bool { roll(100) < percent }
  mutating func pick<T>(_ choices: [T]) -> T { choices[roll(choices.count)] }
}
