import ArgumentParser

/// The value that the user gives a variable: `NAME=VALUE`.
struct VariableSetting {
  var name: String
  var value: String

  init(option text: String) throws(ValidationError) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw ValidationError("expected NAME=VALUE")
    }
    name = String(text[..<equals])
    value = String(text[equals...].dropFirst())
  }
}
