extension Signature {
  /// The prototype of the C function, as a declaration:
  /// "promise_status_t inflate(promise_bytes_t data, size_t limit, promise_bytes_t *result, promise_value_t *error);"
  public var cPrototype: String {
    var taken: Set<String> = []
    var declarations = parameters.map { Self.declaration($0.type.cName, Self.identifier($0.name, &taken)) }
    if fails {
      if let result { declarations.append(Self.declaration(result.cName + " *", Self.identifier("result", &taken))) }
      declarations.append(Self.declaration("promise_value_t *", Self.identifier("error", &taken)))
    }
    let returned = fails ? "promise_status_t" : result?.cName ?? "void"
    let list = declarations.isEmpty ? "void" : declarations.joined(separator: ", ")
    return "\(Self.declaration(returned, name))(\(list));"
  }

  /// "const char *" and "name" make "const char *name".
  private static func declaration(_ type: String, _ name: String) -> String {
    let type = type.hasSuffix("* *") ? type.dropLast(2) + "*" : type[...]
    return type.hasSuffix("*") ? "\(type)\(name)" : "\(type) \(name)"
  }

  /// The name, or one like it if it is a word of C's or taken.
  private static func identifier(_ name: String, _ taken: inout Set<String>) -> String {
    var name = name
    while keywords.contains(name) || !taken.insert(name).inserted { name += "_" }
    return name
  }

  private static let keywords: Set<String> = [
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "false",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof",
    "static", "struct", "switch", "true", "typedef", "union", "unsigned", "void", "volatile", "while",
  ]
}

extension ValueType {
  /// The type in C.
  var cName: String {
    switch self {
    case .bool: "bool"
    case .i8: "int8_t"
    case .i16: "int16_t"
    case .i32: "int32_t"
    case .i64: "int64_t"
    case .u8: "uint8_t"
    case .u16: "uint16_t"
    case .u32: "uint32_t"
    case .u64: "uint64_t"
    case .usize: "size_t"
    case .f32: "float"
    case .f64: "double"
    case .str, .ownStr: "promise_str_t"
    case .bytes, .ownBytes: "promise_bytes_t"
    case .cstr: "const char *"
    case .promise: "promise_t *"
    }
  }
}
