import ArgumentParser

extension FixedWidthInteger {
  /// Reads the value of an option, a number in `range`.
  init(option text: String, in range: ClosedRange<Self>) throws(ValidationError) {
    guard let number = Self(text), range.contains(number) else {
      throw ValidationError("expected a number from \(range.lowerBound) to \(range.upperBound)")
    }
    self = number
  }
}
