import ArgumentParser
import PluginRuntime

/// The value that the user gives a variable: `NAME=VALUE`.
struct VariableSetting {
  var name: String
  var value: String

  init(option text: String) throws(ValidationError) {
    guard let parts = text.cut(at: "="), !parts.before.isEmpty else { throw ValidationError("expected NAME=VALUE") }
    (name, value) = parts
  }
}
