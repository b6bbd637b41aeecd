/// A generator of random numbers, determined by its seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}

extension [Mutation] {
  /// Draws at most `count` elements by a seed, and keeps their order.
  package func sample(_ wanted: Int, seed: UInt64) -> [Mutation] {
    guard wanted < count else { return self }
    var generator = SeededGenerator(seed: seed)
    return indices.shuffled(using: &generator).prefix(wanted).sorted().map { self[$0] }
  }
}

/// Returns the lines that a change added or changed, by file, from `git diff --unified=0`.
package func changedLines(_ diff: String) -> [String: Set<Int>] {
  var lines: [String: Set<Int>] = [:]
  var file = ""
  for line in diff.split(separator: "\n") {
    if line.hasPrefix("+++ ") {
      file = line.hasPrefix("+++ b/") ? String(line.dropFirst(6)) : ""
    } else if line.hasPrefix("@@ "), let added = line.split(separator: " ").first(where: { $0.hasPrefix("+") }) {
      let numbers = added.dropFirst().split(separator: ",").compactMap { Int($0) }
      guard let start = numbers.first else { continue }
      let count = numbers.count > 1 ? numbers[1] : 1
      lines[file, default: []].formUnion(start..<start + count)
    }
  }
  return lines
}
