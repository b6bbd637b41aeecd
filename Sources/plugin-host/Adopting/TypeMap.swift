import Glibc
import PluginRuntime

/// Meanings that a header's declarations of types do not state: `xmlChar` is text, `uuid_t` is `[u8; 16]`.
struct TypeMap {
  /// The meaning of a type name.
  enum Meaning: Equatable {
    /// A byte of UTF-8 text, like `char`: an address of it is a text.
    case text
    /// An object for which NULL may be passed to any function, and stands for a default.
    case optional
    /// An opaque object, behind an address.
    case handle
    /// The type of a signature.
    case type(ValueType)
  }

  var types: [String: Meaning] = [:]

  /// The number of the elements behind a parameter's address.
  enum Elements: Equatable {
    case number(Int)
    /// The parameter with that name is the number.
    case counted(by: String)
    /// The elements end with the first one that is 0.
    case ended

    /// Reads a number, the name of a parameter, or 0.
    init?(_ text: String) {
      if let number = Int(text) {
        guard (0...65536).contains(number) else { return nil }
        self = number == 0 ? .ended : .number(number)
      } else {
        guard Name.isValid(text) else { return nil }
        self = .counted(by: text)
      }
    }
  }

  /// The elements of parameters, by `function.parameter`, in which a `*` stands for any text.
  var elements: [String: Elements] = [:]

  /// Parameters and results in the syntax of signatures, by `function.parameter` and `function.result`, in which a `*`
  /// stands for any text. `out`, `inout` and `in` alone mean one element of the header's type behind an address.
  var parameters: [String: String] = [:]

  /// The conventions by which functions report failures, as signatures have them behind `!`: `nonzero message zError`.
  /// The keys are names of functions, in which a `*` stands for any text, and types of results. A function with `none`
  /// reports no failure.
  var failures: [String: String] = [:]

  /// Adds the meanings of another map, which replace those with the same names.
  mutating func add(_ other: TypeMap) {
    types.merge(other.types) { _, new in new }
    elements.merge(other.elements) { _, new in new }
    parameters.merge(other.parameters) { _, new in new }
    failures.merge(other.failures) { _, new in new }
  }

  /// Returns the elements of a parameter; nil if the map has none.
  func elements(of parameter: String, in function: String) -> Elements? {
    Self.find("\(function).\(parameter)", in: elements)
  }

  /// Returns a parameter, or the result, in the syntax of signatures; nil if the map has none.
  func text(of parameter: String, in function: String) -> String? {
    Self.find("\(function).\(parameter)", in: parameters)
  }

  /// Returns the convention of a function: by its name, otherwise by the first of its result's types that the map has.
  /// Nil if the function reports no failure.
  func failure(of function: String, returning types: [String]) -> String? {
    let found = Self.find(function, in: failures) ?? types.lazy.compactMap { failures[$0] }.first
    return found == "none" ? nil : found
  }

  /// Returns the value of a name without a `*`, otherwise that of the longest pattern that matches.
  private static func find<Value>(_ name: String, in map: [String: Value]) -> Value? {
    if let found = map[name] { return found }
    let patterns = map.filter { pattern, _ in
      // Rejects most patterns without fnmatch(), which would copy both texts.
      guard let star = pattern.utf8.firstIndex(of: UInt8(ascii: "*")) else { return false }
      return name.utf8.starts(with: pattern.utf8[..<star]) && fnmatch(pattern, name, 0) == 0
    }
    return patterns.max { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }?.value
  }
}

extension TypeMap.Meaning {
  /// Reads a meaning: text, handle, optional, or a type of a signature.
  init(_ text: String) throws(Unsuitable) {
    switch text {
    case "text": self = .text
    case "handle": self = .handle
    case "optional": self = .optional
    default:
      let signature: Signature
      do throws(SignatureError) {
        // The braces are a struct with a union only behind an address.
        signature = try Signature(parsing: "f(a: \(text.hasPrefix("{") ? "&" : "")\(text))")
      } catch {
        throw Unsuitable("found \(error.found), expected \(error.expected)")
      }
      guard signature.parameters.count == 1, var type = signature.parameters.first?.type else {
        throw Unsuitable("found several types, expected one")
      }
      if case .reference(let structure) = type { type = structure }
      guard type.isMeaning else {
        throw Unsuitable(
          "found '\(type)', expected a number, bool, cstr, str[16], ptr<Name>, or an array or struct of these, also with counts"
        )
      }
      self = .type(type)
    }
  }
}

extension ValueType {
  /// Whether a C type can have this meaning.
  fileprivate var isMeaning: Bool {
    switch self {
    case .scalar, .cstr, .pointer, .inlineText: true
    case .array(let element, _): element.isMeaning
    case .structure(let structure): structure.fields.allSatisfy { $0.type.isMeaning || $0.type.isMeaningOfField }
    default: false
    }
  }

  /// Whether a field of a struct, but no other C type, can have this meaning: a text or an address that may be NULL,
  /// elements that another field counts, a union with a tag.
  private var isMeaningOfField: Bool {
    switch self {
    case .optional(.cstr), .optional(.pointer), .counted(.str, _), .counted(.bytes, _): true
    case .optional(.counted(let type, let count)): ValueType.counted(type, by: count).isMeaningOfField
    case .counted(.slice(let element), _): element.isMeaning
    case .union(let union): union.members.allSatisfy { $0.type.isMeaning }
    default: false
    }
  }
}
