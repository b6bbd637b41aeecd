/// A name that a mistyped one may stand for.
package enum Suggestion {
  /// Returns a question that ends a message, such as `; did you mean "packed"?`; empty if nothing is near.
  package static func near(_ name: String, among names: some Sequence<String>) -> String {
    // One letter in three may be wrong: more would be guessing. A single letter is not enough evidence, and a text
    // longer than any name is not a mistyped name.
    guard name.utf8.count <= 256 else { return "" }
    let limit = name.count < 2 ? 0 : (name.count + 2) / 3
    // Names of other lengths are not near, and a library may have 100,000.
    let names = names.filter { abs($0.count - name.count) <= limit }
    let best = names.map { (name: $0, distance: distance(name, $0)) }.min { $0.distance < $1.distance }
    guard let best, best.distance <= limit else { return "" }
    return "; did you mean \"\(best.name)\"?"
  }

  /// Returns the edit distance of two names: letters added, removed, changed, or swapped with their neighbour.
  package static func distance(_ first: String, _ second: String) -> Int {
    let first = Array(first.lowercased())
    let second = Array(second.lowercased())
    guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for row in 1...first.count {
      var current = [row]
      for column in 1...second.count {
        let isSame = first[row - 1] == second[column - 1]
        var cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
        if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
          cost = min(cost, beforeLast[column - 2] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
