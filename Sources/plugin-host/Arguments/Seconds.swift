import ArgumentParser

/// A time limit: a number of seconds greater than 0, such as `30` or `0.5`.
struct Seconds: Equatable, Sendable {
  var value: Double

  var duration: Duration { .seconds(value) }

  init(value: Double) { self.value = value }

  /// Nil if the text is not such a number. More than a thousand years is taken for a slip of the finger.
  init?(_ text: String) {
    guard let value = Double(text), value > 0, value < 3.2e10 else { return nil }
    self.value = value
  }
}

extension Seconds {
  /// The value of an option.
  init(option text: String) throws(ValidationError) {
    guard let seconds = Seconds(text) else {
      throw ValidationError("expected a number of seconds greater than 0")
    }
    self = seconds
  }
}
