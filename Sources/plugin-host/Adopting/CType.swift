/// A C type, reduced to the parts that calls depend on.
indirect enum CType: Equatable {
  case void
  case bool
  /// char is neither signed nor unsigned char: it is text.
  case char
  case integer(isSigned: Bool, bits: Int)
  /// float, double, and long double, whose bits are 128 with the padding.
  case float(bits: Int)
  case pointer(to: CType, isConst: Bool)
  case array(of: CType, count: Int?)
  case function(result: CType, parameters: [CType], isVariadic: Bool)
  /// The name of a typedef.
  case named(String)
  /// A struct, a union or an enum, by its tag or, if it has none, by clang's name for it.
  case tagged(String, name: String)
  /// A type that no call can pass: `_Complex double`.
  case unknown(String)
}

/// Reads a type as clang writes it: `const char *`, `int (*)(const void *, const void *)`, `double[3]`.
struct CTypeParser {
  private var tokens: [Substring]
  private var position = 0

  /// Parses a type; returns nil if the text is not a type.
  static func parse(_ text: String) -> CType? {
    var parser = CTypeParser(tokens: tokens(text))
    guard let type = parser.type(), parser.position == parser.tokens.count else { return nil }
    return type
  }

  private static let qualifiers: Set<Substring> = [
    "const", "volatile", "restrict", "__restrict", "_Nonnull", "_Nullable", "_Null_unspecified", "register",
  ]
  private static let words: Set<Substring> = [
    "void", "_Bool", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Complex",
    "__int128", "_Float16", "_Float32", "_Float64", "_Float64x", "_Float128", "__float128", "_BitInt", "_Atomic",
  ]

  private static func tokens(_ text: String) -> [Substring] {
    var tokens: [Substring] = []
    var rest = text[...]
    while let first = rest.first {
      if first == " " {
        rest = rest.dropFirst()
      } else if rest.hasPrefix("...") {
        tokens.append(rest.prefix(3))
        rest = rest.dropFirst(3)
      } else if isWord(first) {
        let word = rest.prefix(while: isWord)
        tokens.append(word)
        rest = rest.dropFirst(word.count)
      } else if rest.hasPrefix("(unnamed") || rest.hasPrefix("(anonymous") {
        // "struct (unnamed struct at file.h:12:22)" is one name.
        let name = rest.prefix { $0 != ")" }
        tokens.append(rest.prefix(name.count + 1))
        rest = rest.dropFirst(name.count + 1)
      } else {
        tokens.append(rest.prefix(1))
        rest = rest.dropFirst()
      }
    }
    return tokens
  }

  private static func isWord(_ character: Character) -> Bool {
    character == "_" || character == "$" || character.isLetter || character.isNumber
  }

  private var next: Substring? { position < tokens.count ? tokens[position] : nil }

  private mutating func skip(_ token: Substring) -> Bool {
    guard next == token else { return false }
    position += 1
    return true
  }

  private mutating func type() -> CType? {
    guard let (base, isConst) = specifiers() else { return nil }
    return declarator(of: base, isConst: isConst)
  }

  /// Parses the words at the beginning of a type, before its declarator.
  private mutating func specifiers() -> (CType, isConst: Bool)? {
    var words: [Substring] = []
    var type: CType?
    var isConst = false
    while let token = next {
      if Self.qualifiers.contains(token) {
        isConst = isConst || token == "const"
      } else if ["struct", "union", "enum"].contains(token) {
        position += 1
        guard let name = next else { return nil }
        type = .tagged(String(token), name: String(name))
      } else if Self.words.contains(token) {
        words.append(token)
      } else if words.isEmpty, type == nil, token.first.map(Self.isWord) ?? false {
        type = .named(String(token))
      } else {
        break
      }
      position += 1
    }
    if let type { return words.isEmpty ? (type, isConst) : nil }
    return words.isEmpty ? nil : (Self.builtin(words), isConst)
  }

  private static func builtin(_ words: [Substring]) -> CType {
    let text = words.joined(separator: " ")
    let longs = words.count { $0 == "long" }
    let isUnsigned = words.contains("unsigned")
    let rest = words.filter { !["signed", "unsigned", "long", "short", "int"].contains($0) }
    switch rest {
    case ["void"]: return .void
    case ["_Bool"], ["bool"]: return .bool
    case ["char"]: return words.count == 1 ? .char : .integer(isSigned: !isUnsigned, bits: 8)
    case ["float"], ["_Float32"]: return .float(bits: 32)
    case ["double"], ["_Float64"]: return .float(bits: longs == 0 ? 64 : 128)
    case ["_Float64x"]: return .float(bits: 128)
    // long is as wide as a pointer on every Linux that plugins run on.
    case []: return .integer(isSigned: !isUnsigned, bits: words.contains("short") ? 16 : longs > 0 ? 64 : 32)
    default: return .unknown(text)
    }
  }

  /// Parses the text around a declared name: `*`, `[3]`, `(int)`, and parentheses for their order.
  private mutating func declarator(of base: CType, isConst: Bool) -> CType? {
    var base = base
    var isConst = isConst
    while skip("*") {
      base = .pointer(to: base, isConst: isConst)
      isConst = false
      while let token = next, Self.qualifiers.contains(token) {
        isConst = isConst || token == "const"
        position += 1
      }
    }
    guard next == "(", position + 1 < tokens.count, ["*", "(", "^", "["].contains(tokens[position + 1]) else {
      return suffixes(of: base)
    }
    // The declarator in the parentheses applies to the type with the suffixes behind them.
    let inside = position + 1
    var depth = 0
    repeat {
      guard let token = next else { return nil }
      depth += token == "(" ? 1 : token == ")" ? -1 : 0
      position += 1
    } while depth > 0
    guard let outer = suffixes(of: base) else { return nil }
    let end = position
    position = inside
    guard let type = declarator(of: outer, isConst: false), skip(")") else { return nil }
    position = end
    return type
  }

  private mutating func suffixes(of base: CType) -> CType? {
    if skip("[") {
      var count: Int?
      if let number = next.flatMap({ Int($0) }) {
        count = number
        position += 1
      }
      guard skip("]"), let element = suffixes(of: base) else { return nil }
      return .array(of: element, count: count)
    }
    guard skip("(") else { return base }
    var parameters: [CType] = []
    var isVariadic = false
    while !skip(")") {
      if skip("...") {
        isVariadic = true
      } else {
        guard let parameter = type() else { return nil }
        parameters.append(parameter)
      }
      guard skip(",") || next == ")" else { return nil }
    }
    return .function(result: base, parameters: parameters == [.void] ? [] : parameters, isVariadic: isVariadic)
  }
}
