import PluginRuntime

/// The kind of a value, by which results and parameters have to agree.
enum ArgumentKind: Sendable {
  case void, bool, integer, double, string, bytes, pointer, file, array, object
  /// Known only at run time.
  case any

  /// The kind of a type's values; a type of nil is void. A promise has the kind of its result.
  init(_ type: ValueType?) {
    switch type?.kind {
    case nil: self = .void
    case .scalar(let scalar):
      self =
        switch scalar.form {
        case .bool: .bool
        case .signed, .unsigned: .integer
        case .float: .double
        }
    case .text, .inlineText: self = .string
    case .bytes: self = .bytes
    case .pointer: self = .pointer
    case .file: self = .file
    case .list: self = .array
    case .structure, .union: self = .object
    case .promise(let element): self.init(element)
    case .callback, .error, .token, .value, .context: self = .any
    }
  }

  /// Whether a result of this kind can be the argument of `parameter`. A text is UTF-8 bytes. A check at run time
  /// decides whether bytes are a text, and whether a number is in range.
  func suits(_ parameter: ArgumentKind) -> Bool {
    switch (self, parameter) {
    case (.void, _): false
    case (.any, _), (_, .any): true
    case (.integer, .double), (.string, .bytes), (.bytes, .string): true
    default: self == parameter
    }
  }

  /// Whether the value of an expression can be the result of a callback with a result of that kind.
  func converts(to result: ArgumentKind) -> Bool {
    switch (self, result) {
    case (.bool, .integer): true
    default: suits(result)
    }
  }
}

extension Parameter {
  var kind: ArgumentKind { ArgumentKind(type) }
}

extension Signature {
  /// The result as text for people: `own bytes`, `nothing`.
  var resultText: String { result?.description ?? "nothing" }
  var resultKind: ArgumentKind { outputs.isEmpty ? ArgumentKind(yielded) : .object }
}
