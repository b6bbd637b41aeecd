/// Writes C's types as signatures do.
struct TypeText {
  let header: Header

  /// Writes a type by value.
  func value(_ type: CType) throws(Unsuitable) -> String {
    switch type {
    case .named("size_t"): return "usize"
    case .named("ssize_t"): return "isize"
    default: return try value(resolved: header.resolved(type), as: type, depth: 0)
    }
  }

  /// Writes a parameter's type by value: an enum with the names of its constants.
  func argument(_ type: CType) throws(Unsuitable) -> String {
    let text = try value(type)
    guard case .tagged("enum", let tag) = header.resolved(type) else { return text }
    return EnumerationText(header.constants(ofEnumeration: tag), isFlags: Self.isFlags(name(of: type))).suffix
      .map { "\(text) \($0)" } ?? text
  }

  private static func isFlags(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasSuffix("flags") || name.hasSuffix("mask") || name.hasSuffix("flag")
  }

  private func value(resolved type: CType, as written: CType, depth: Int) throws(Unsuitable) -> String {
    switch type {
    case .bool: return "bool"
    case .char: return Self.char
    case .integer(let isSigned, let bits): return "\(isSigned ? "i" : "u")\(bits)"
    case .float(let bits): return Self.float(bits)
    case .tagged("enum", let name):
      return try value(resolved: header.integer(ofEnumeration: name), as: written, depth: depth)
    case .tagged(let kind, let name): return try structure(kind, name, as: written, depth: depth)
    case .pointer(let target, _): return "ptr<\(self.name(of: target, or: written))>?"
    case .array(let element, let count):
      guard let count, count > 0 else { throw Unsuitable("has an array of unknown length") }
      return "[\(try value(resolved: header.resolved(element), as: element, depth: depth + 1)); \(count)]"
    case .void: throw Unsuitable("has a value of type void")
    case .function: throw Unsuitable("has a function by value")
    case .unknown(let text): throw Unsuitable("\(text): libffi cannot pass it on every machine")
    case .named(let name): throw Unsuitable("\(name) is not declared")
    }
  }

  private func structure(
    _ kind: String, _ tag: String, as written: CType, depth: Int
  ) throws(Unsuitable) -> String {
    if let said = header.structure(written) { return said }
    let shown = "'\(name(of: written))'"
    guard kind == "struct" else { throw Unsuitable("\(shown) is a union: libffi cannot pass it by value") }
    guard let record = header.record(tag) else { throw Unsuitable("\(shown) is not defined") }
    if let irregularity = record.irregularity ?? header.irregularity(ofTypedefs: written) {
      throw Unsuitable("\(shown) \(irregularity): libffi cannot pass it by value")
    }
    guard depth < 8, !record.fields.isEmpty, record.fields.count <= 100 else {
      throw Unsuitable("\(shown) is not a struct that a signature can have")
    }
    var fields: [String] = []
    for (index, field) in record.fields.enumerated() {
      let type = header.resolved(field.type)
      if case .function = type { throw Unsuitable("\(shown) has a function in it") }
      if let irregularity = header.irregularity(ofTypedefs: field.type) {
        throw Unsuitable("'\(field.name)' of \(shown) \(irregularity): libffi cannot pass it by value")
      }
      let text =
        if let text = inlineText(field) { text } else {
          try value(resolved: type, as: field.type, depth: depth + 1)
        }
      fields.append("\(field.name.isEmpty ? "field\(index + 1)" : field.name): \(text)")
    }
    return "{\(fields.joined(separator: ", "))}"
  }

  /// Writes a field that is an array of char, which stands for text unless its name says otherwise: `sa_data`.
  private func inlineText(_ field: (name: String, type: CType)) -> String? {
    guard case .array(let element, let count?) = header.resolved(field.type), header.resolved(element) == .char,
      count > 1, !ParameterNames.isData(field: field.name)
    else { return nil }
    return "str[\(count)]"
  }

  /// Whether a struct contains no addresses, so that a copy of it serves as well.
  func isPlain(_ type: CType, depth: Int = 0) -> Bool {
    guard header.irregularity(ofTypedefs: type) == nil else { return false }
    switch header.resolved(type) {
    case .bool, .char, .integer, .float, .tagged("enum", _): return true
    case .array(let element, let count): return count ?? 0 > 0 && isPlain(element, depth: depth + 1)
    case .tagged("struct", let tag):
      guard depth < 8, let record = header.record(tag), record.irregularity == nil, !record.fields.isEmpty else {
        return false
      }
      return record.fields.count <= 100 && record.fields.allSatisfy { isPlain($0.type, depth: depth + 1) }
    default: return false
    }
  }

  /// Whether the type is a struct or union that the header does not define, or whose addresses the library returns.
  func isObject(_ type: CType) -> Bool {
    if case .tagged(_, let tag) = header.resolved(type) { header.isObject(tag) } else { false }
  }

  /// Whether only the library can make objects of a type: it is a struct that is not defined, or a typedef of `void`.
  func isOpaque(_ type: CType) -> Bool {
    switch header.resolved(type) {
    case .tagged("struct", let tag): header.record(tag) == nil
    case .void: CountedParameters.isHandle(type)
    default: false
    }
  }

  /// Whether a type is the address of a typedef that stands for the address of a struct: `FT_Face *`, where callers
  /// know FT_Face as an object.
  func isHandleAddress(_ type: CType) -> Bool {
    guard case .pointer(let name, false) = header.resolved(type), case .named = name,
      case .pointer(let target, false) = header.resolved(name)
    else { return false }
    if case .tagged("struct", _) = header.resolved(target) { return true }
    return false
  }

  /// Whether a value is one byte: an address of such a type is more often of many than of one.
  func isByte(_ type: CType) -> Bool {
    switch header.resolved(type) {
    case .bool, .char, .integer(_, 8): true
    case .tagged("enum", let name): isByte(header.integer(ofEnumeration: name))
    default: false
    }
  }

  /// Whether an integer is a character of a text: `wchar_t`, `UChar`, `gunichar2`.
  func isLetter(_ type: CType) -> Bool {
    var type = type
    while case .named(let name) = type {
      if name.lowercased().contains("char") { return true }
      type = header.meaning(of: name)
    }
    return false
  }

  /// Whether the type is a machine's definition of va_list.
  func isArgumentList(_ type: CType) -> Bool {
    switch type {
    case .named(let name): ["va_list", "__gnuc_va_list", "__builtin_va_list"].contains(name)
    case .pointer(let target, _): isArgumentList(target)
    case .tagged(_, let name): ["__va_list_tag", "__va_list"].contains(name)
    default: false
    }
  }

  /// Writes the type of an address with a count.
  func content(of target: CType, count: String) -> String {
    switch header.resolved(target) {
    case .char: "str[\(count)]"
    case .void, .integer(_, 8): "bytes[\(count)]"
    case .pointer(let inner, _) where header.resolved(inner) == .char: "&[cstr; \(count)]"
    case .pointer(let inner, _): "&[ptr<\(name(of: inner))>; \(count)]"
    case let element:
      "&[\(header.structure(target) ?? (try? value(resolved: element, as: target, depth: 0)) ?? "u8"); \(count)]"
    }
  }

  /// Returns a readable name of the pointee: that of its type, or of a typedef of the address.
  func name(of target: CType, or written: CType? = nil) -> String {
    if case .function = header.resolved(target) { return "function" }
    switch target {
    // The C library's internal name, in headers that do not include stdio.h.
    case .named("__FILE"): return "FILE"
    case .named(let name): return header.firstName(of: name)
    case .tagged(_, let name) where !name.hasPrefix("#") && !name.hasPrefix("("):
      return header.typedefsOfTags[name] ?? name
    case .void: return "void"
    case .bool: return "bool"
    case .char: return "char"
    case .integer(let isSigned, let bits): return "\(isSigned ? "i" : "u")\(bits)"
    case .float(let bits): return Self.float(bits)
    default:
      if case .named(let name)? = written { return name }
      return "any"
    }
  }

  private static func float(_ bits: Int) -> String { bits == 128 ? "f64x" : "f\(bits)" }

  /// The machine decides whether char has a sign.
  private static var char: String {
    #if arch(x86_64)
    "i8"
    #else
    "u8"
    #endif
  }
}
