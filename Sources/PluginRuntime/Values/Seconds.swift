/// A time limit: a number of seconds greater than 0, such as `30` or `0.5`, or numbers with units: `250ms`, `5m`,
/// `1h30m`.
package struct Seconds: Equatable, Sendable {
  package var value: Double

  package var duration: Duration { .seconds(value) }

  package init(value: Double) { self.value = value }

  /// Nil if the text is not such a time. More than a thousand years is rejected as a mistake.
  package init?(_ text: String) {
    guard let value = Double(text) ?? Self.sum(text), value > 0, value < 3.2e10 else { return nil }
    self.value = value
  }

  package static let expectation = "\(form), below 3.2e10 seconds"
  /// The expectation without the maximum, for places with a smaller one.
  package static let form = "a number of seconds greater than 0, or one with a unit, such as 500ms, 5m or 1h30m"

  private static let units: [Substring: Double] = [
    "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400,
  ]

  /// Returns the sum of numbers with units, each smaller than the one before it.
  private static func sum(_ text: String) -> Double? {
    var rest = text[...]
    var sum = 0.0
    var last = Double.infinity
    while !rest.isEmpty {
      let number = rest.prefix { "0"..."9" ~= $0 || $0 == "." }
      rest = rest.dropFirst(number.count)
      let unit = rest.prefix(while: \.isLetter)
      rest = rest.dropFirst(unit.count)
      guard let value = Double(number), let factor = units[unit], factor < last else { return nil }
      sum += value * factor
      last = factor
    }
    return sum
  }
}
