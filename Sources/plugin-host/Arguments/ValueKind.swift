import PluginRuntime

/// What a value is, as far as results and parameters have to agree.
enum ValueKind: Sendable {
  case void, bool, integer, double, string, bytes

  /// The kind of the values of a type; nil is the type of nothing. A promise is as good as what it gives.
  init(_ type: ValueType?) {
    switch type {
    case nil: self = .void
    case .bool: self = .bool
    case .i8, .i16, .i32, .i64, .u8, .u16, .u32, .u64, .usize: self = .integer
    case .f32, .f64: self = .double
    case .str, .cstr, .ownStr: self = .string
    case .bytes, .ownBytes: self = .bytes
    case .promise(let element): self.init(element)
    }
  }

  /// Whether a result of this kind can be the argument of a parameter of that one. A text is UTF-8 bytes. Whether bytes
  /// are a text, and a number is in range, only the value tells.
  func suits(_ parameter: ValueKind) -> Bool {
    switch (self, parameter) {
    case (.void, _): false
    case (.integer, .double), (.string, .bytes), (.bytes, .string): true
    default: self == parameter
    }
  }
}

extension Parameter {
  var kind: ValueKind { ValueKind(type) }
}

extension Signature {
  /// For people: `own bytes`, `nothing`.
  var resultText: String { result?.description ?? "nothing" }
  var resultKind: ValueKind { ValueKind(result) }
}
