/// Writes types as C declarations, and collects the structs that these need.
struct CTypeWriter {
  /// A C declaration without the declared name: "double" applied to `v` is "double v".
  typealias Declarator = (String) -> String

  /// The prefix of the structs' names.
  let prefix: String
  /// The declarations of structs and opaque types, each before its first use.
  private(set) var declarations: [String] = []
  private var names: [ValueType: String] = [:]

  init(prefix: String) { self.prefix = prefix }

  /// Returns the declarator of a parameter's type.
  mutating func parameter(_ type: ValueType, isByAddress: Bool, path: String) -> Declarator {
    switch type.unwrapped {
    case .array(let element, let count) where !type.isOptional || isByAddress:
      let declarator = value(element, path: path)
      return { Self.constant(element, isByAddress, declarator("\($0)[\(count)]")) }
    case .inlineText(let size): return { "char \($0)[\(size)]" }
    case .counted(.bytes, let count) where type.statedCount != nil:
      // The address of an address that is moved has a star.
      return { "\(isByAddress ? "" : "const ")uint8_t \($0.hasPrefix("*") ? "*\($0)" : "\($0)[\(count)]")" }
    case .counted(let counted, _):
      let declarator = element(of: counted, path: path)
      return { Self.constant(counted.element, isByAddress, declarator("*\($0)")) }
    case .error, .value:
      return { "\(isByAddress ? "" : "const ")promise_value_t *\($0)" }
    default:
      let type = value(type, path: path)
      return isByAddress ? { type("*\($0)") } : type
    }
  }

  /// Returns the declarator of a type in memory, or in a register.
  mutating func value(_ type: ValueType, path: String) -> Declarator {
    switch type {
    case .scalar(let scalar): return { "\(scalar.cName) \($0)" }
    case .str, .own(.str, _): return { "promise_str_t \($0)" }
    case .bytes, .own(.bytes, _): return { "promise_bytes_t \($0)" }
    case .cstr: return { "const char *\($0)" }
    case .own(.cstr, _): return { "char *\($0)" }
    case .own(.counted(let counted, _), _):
      let declarator = element(of: counted, path: path)
      return { declarator("*\($0)") }
    case .own(.terminated(let element), _):
      // The caller frees the texts too.
      if element == .cstr { return { "char **\($0)" } }
      let declarator = value(element, path: path)
      return { declarator("*\($0)") }
    case .own(let type, _): return value(type, path: path)
    case .terminated(let element):
      let declarator = value(element, path: path)
      return { Self.constant(element, false, declarator("*\($0)")) }
    case .pointer("void"), .context: return { "void *\($0)" }
    case .pointer(let name):
      declare("typedef struct \(name) \(name);")
      return { "\(name) *\($0)" }
    case .promise: return { "promise_t *\($0)" }
    case .token: return { "promise_token_t *\($0)" }
    case .fd: return { "int \($0)" }
    case .error, .value: return { "const promise_value_t *\($0)" }
    case .structure(let structure): return named(type, path) { $0.declarations(of: structure.fields, path: path) }
    case .union(let union):
      let members = declarations(of: union.members, path: path).joined(separator: " ")
      return { "union { \(members) } \($0)" }
    case .slice(let element):
      return named(type, path + "_slice") { writer in
        let data = writer.value(element, path: path + "_item")("*data")
        return ["\(Self.constant(element, false, data));", "size_t length;"]
      }
    case .reference(let target):
      let target = value(target, path: path)
      return { "const \(target("*\($0)"))" }
    case .inlineText(let size): return { "char \($0)[\(size)]" }
    case .array(let element, let count):
      let element = value(element, path: path)
      return { element("\($0)[\(count)]") }
    case .counted(let counted, _):
      let declarator = element(of: counted, path: path)
      return { Self.constant(counted.element, false, declarator("*\($0)")) }
    case .optional(let wrapped):
      let inner = value(wrapped, path: path)
      if wrapped.isSpan || wrapped.isAddress { return inner }
      if case .array(let element, _) = wrapped {
        let declarator = value(element, path: path)
        return { Self.constant(element, false, declarator("*\($0)")) }
      }
      return { "const \(inner("*\($0)"))" }
    case .callback(let callback): return function(callback, path: path)
    case .constant(let constants): return value(constants.base, path: path)
    }
  }

  private mutating func element(of counted: ValueType, path: String) -> Declarator {
    switch counted {
    case .slice(let element): value(element, path: path)
    case .str: { "char \($0)" }
    default: { "uint8_t \($0)" }
    }
  }

  private mutating func function(_ callback: CallbackType, path: String) -> Declarator {
    var list: [String] = []
    for (index, parameter) in callback.parameters.enumerated() {
      let type = self.parameter(
        parameter.type, isByAddress: parameter.direction != .input, path: "\(path)_\(parameter.name ?? "\(index)")")
      list.append(type(parameter.name.map { Self.escaped($0) } ?? "").trimmed)
    }
    let result: Declarator = callback.result.map { value($0, path: path + "_result") } ?? { "void \($0)" }
    let parameters = list.isEmpty ? "void" : list.joined(separator: ", ")
    return { result("(*\($0))(\(parameters))") }
  }

  private mutating func declarations(of fields: [StructType.Field], path: String) -> [String] {
    fields.map { "\(value($0.type, path: "\(path)_\($0.name)")(Self.escaped($0.name)));" }
  }

  /// Declares a struct once, under a unique name, and returns its declarator.
  private mutating func named(
    _ type: ValueType, _ path: String, _ fields: (inout CTypeWriter) -> [String]
  ) -> Declarator {
    if let name = names[type] { return { "\(name) \($0)" } }
    var name = "struct \(prefix)_\(path)"
    while names.values.contains(name) { name += "_" }
    let lines = fields(&self)
    names[type] = name
    declarations.append("\(name) { \(lines.joined(separator: " ")) };")
    return { "\(name) \($0)" }
  }

  private mutating func declare(_ declaration: String) {
    if !declarations.contains(declaration) { declarations.append(declaration) }
  }
}

extension CTypeWriter {
  /// Returns the name, with underscores appended if it is a C keyword or already taken.
  static func identifier(_ name: String, _ taken: inout Set<String>) -> String {
    var name = escaped(name)
    while !taken.insert(name).inserted { name += "_" }
    return name
  }

  /// Adds `const` for data that C must not write. Elements that are addresses get none: `const` would apply to their
  /// targets.
  private static func constant(_ element: ValueType, _ isByAddress: Bool, _ declaration: String) -> String {
    isByAddress || element.isAddress ? declaration : "const \(declaration)"
  }

  static func escaped(_ name: String) -> String { keywords.contains(name) ? name + "_" : name }

  private static let keywords: Set<String> = [
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "false", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "true", "typedef", "union", "unsigned", "void", "volatile",
    "while",
  ]
}

extension String {
  /// The declaration without the trailing space of a missing name.
  fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}
