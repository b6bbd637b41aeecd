import Glibc
import PluginRuntime

/// Meanings of type names in headers that their declarations do not have: `xmlChar` is text, `uuid_t` is `[u8; 16]`.
struct TypeMap {
  /// The meaning of a type name.
  enum Meaning: Equatable {
    /// A byte of UTF-8 text, like `char`: its address is text.
    case text
    /// An object for which NULL may be given wherever a function takes one, and stands for a default.
    case optional
    /// Something that only the library knows, behind an address.
    case handle
    /// The type of a signature.
    case type(ValueType)
  }

  var types: [String: Meaning] = [:]

  /// The number of the elements behind a parameter's address.
  enum Elements: Equatable {
    case number(Int)
    /// The parameter with that name counts them.
    case counted(by: String)
    /// The first that is 0 ends them.
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

  /// Adds the meanings of another map, which replace those of the same names.
  mutating func add(_ other: TypeMap) {
    types.merge(other.types) { _, new in new }
    elements.merge(other.elements) { _, new in new }
  }

  /// The elements of a parameter: those of a name without a `*`, otherwise those of the longest pattern. Nil if
  /// the map has none.
  func elements(of parameter: String, in function: String) -> Elements? {
    let name = "\(function).\(parameter)"
    if let found = elements[name] { return found }
    let patterns = elements.filter { $0.key.contains("*") && fnmatch($0.key, name, 0) == 0 }
    return patterns.max { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }?.value
  }

  /// Reads a type map, whose mistakes are all in the failure:
  ///
  ///     types:
  ///       xmlChar: text
  ///       uuid_t: '[u8; 16]'
  ///       CURL: handle
  ///     elements:
  ///       glLight*v.params: 4
  ///       pcre2_match_*.argument2: argument3
  static func read(_ path: String) throws(Failure) -> TypeMap {
    let file = try SourceFile.read(path, or: .usage)
    let document = YAMLDocument(file: file)
    var map = TypeMap()
    let record = document.root().flatMap { document.record(of: $0, what: "a type map", known: ["types", "elements"]) }
    if let node = record?["elements"], let fields = document.fields(of: node, what: "\"elements\"") {
      for field in fields {
        guard let text = document.text(of: field.value, what: "the number of \(field.key.value)") else { continue }
        guard let number = Elements(text.value), field.key.value.contains(".") else {
          document.report(
            text.location,
            "\(field.key.value) is \"\(text.value)\", expected FUNCTION.PARAMETER and a number up to 65536, 0 for "
              + "what ends with a 0, or the parameter that counts")
          continue
        }
        map.elements[field.key.value] = number
      }
    }
    if let record, record["elements"] == nil { _ = document.required("types", of: record, what: "a type map") }
    if let node = record?["types"], let fields = document.fields(of: node, what: "\"types\"") {
      for field in fields {
        guard let text = document.text(of: field.value, what: "the meaning of \(field.key.value)") else { continue }
        do throws(Unsuitable) {
          map.types[field.key.value] = try Meaning(text.value)
        } catch {
          document.report(
            text.location,
            "\(field.key.value) is \"\(text.value)\", expected text, handle, optional, or a type: \(error.reason)")
        }
      }
    }
    guard document.mistakes.isEmpty else {
      throw Failure(.usage, lines: FileMistakes(file: file, mistakes: document.mistakes).lines)
    }
    return map
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
        signature = try Signature(parsing: "f(a: \(text))")
      } catch {
        throw Unsuitable("found \(error.found), expected \(error.expected)")
      }
      guard signature.parameters.count == 1, let type = signature.parameters.first?.type else {
        throw Unsuitable("it is several types")
      }
      guard type.isMeaning else {
        throw Unsuitable("found '\(type)', expected a number, bool, cstr, ptr<Name>, or an array or struct of these")
      }
      self = .type(type)
    }
  }
}

extension ValueType {
  /// Whether a type of C can be it.
  fileprivate var isMeaning: Bool {
    switch self {
    case .scalar, .cstr, .pointer: true
    case .array(let element, _): element.isMeaning
    case .structure(let structure): structure.fields.allSatisfy { $0.type.isMeaning }
    default: false
    }
  }
}
