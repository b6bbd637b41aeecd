import PluginRuntime

/// What a value is, as far as results and parameters have to agree.
enum ValueKind: String, CustomStringConvertible, Sendable {
  case void = "nothing"
  case bool = "a bool"
  case integer = "an integer"
  case double = "a number"
  case string = "a text"
  case bytes = "bytes"
  case promise = "a promise"

  var description: String { rawValue }

  /// Whether a result of this kind can be the argument of a parameter of that one. A text is UTF-8 bytes; bytes may be a
  /// text, and an integer in range, which only the value tells.
  func suits(_ parameter: ValueKind) -> Bool {
    switch (self, parameter) {
    case (.void, _), (_, .promise): false
    case (.integer, .double), (.string, .bytes), (.bytes, .string): true
    default: self == parameter
    }
  }
}

extension PluginValue {
  /// The value as the argument of a parameter of `kind`, which its own suits.
  func converted(to kind: ValueKind) throws(ConversionProblem) -> PluginValue {
    switch (self, kind) {
    case (.int(let value), .double): return .double(Double(value))
    case (.uint(let value), .double): return .double(Double(value))
    case (.string(let value), .bytes): return .bytes(Array(value.utf8))
    case (.bytes(let value), .string):
      guard let text = String(validating: value, as: UTF8.self) else {
        throw ConversionProblem(message: "\(value.count) bytes that are not UTF-8 text")
      }
      return .string(text)
    default: return self
    }
  }
}

/// Why a value cannot be what a parameter takes.
struct ConversionProblem: Error {
  var message: String
}
