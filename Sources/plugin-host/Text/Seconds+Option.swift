import ArgumentParser
import PluginRuntime

extension Seconds {
  /// Reads the value of an option.
  init(option text: String) throws(ValidationError) {
    guard let seconds = Seconds(text) else { throw ValidationError("expected \(Self.expectation)") }
    self = seconds
  }
}
