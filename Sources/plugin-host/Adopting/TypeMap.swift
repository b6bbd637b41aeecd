import PluginRuntime

/// Meanings of type names in headers that their declarations do not have: `xmlChar` is text, `uuid_t` is `[u8; 16]`.
struct TypeMap {
  /// The meaning of a type name.
  enum Meaning: Equatable {
    /// A byte of UTF-8 text, like `char`: its address is text.
    case text
    /// Something that only the library knows, behind an address.
    case handle
    /// The type of a signature.
    case type(ValueType)
  }

  var types: [String: Meaning] = [:]

  /// Adds the meanings of another map, which replace those of the same names.
  mutating func add(_ other: TypeMap) { types.merge(other.types) { _, new in new } }

  /// Reads a type map, whose mistakes are all in the failure:
  ///
  ///     types:
  ///       xmlChar: text
  ///       uuid_t: '[u8; 16]'
  ///       CURL: handle
  static func read(_ path: String) throws(Failure) -> TypeMap {
    let file = try SourceFile.read(path, or: .usage)
    let document = YAMLDocument(file: file)
    var map = TypeMap()
    if let root = document.root(), let record = document.record(of: root, what: "a type map", known: ["types"]),
      let node = document.required("types", of: record, what: "a type map"),
      let fields = document.fields(of: node, what: "\"types\"")
    {
      for field in fields {
        guard let text = document.text(of: field.value, what: "the meaning of \(field.key.value)") else { continue }
        do throws(Unsuitable) {
          map.types[field.key.value] = try Meaning(text.value)
        } catch {
          document.report(
            text.location,
            "\(field.key.value) is \"\(text.value)\", expected text, handle, or a type: \(error.reason)")
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
  /// Reads a meaning: text, handle, or a type of a signature.
  init(_ text: String) throws(Unsuitable) {
    switch text {
    case "text": self = .text
    case "handle": self = .handle
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
