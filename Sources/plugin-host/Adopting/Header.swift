import PluginRuntime

/// The declarations of a C header that calls depend on.
struct Header {
  private(set) var functions: [Function] = []
  private(set) var typedefs: [String: CType] = [:]
  /// The names of the parameters of function pointers and functions, by their typedefs.
  private(set) var callbackNames: [String: [String?]] = [:]
  private(set) var records: [String: Record] = [:]
  /// The constants of enums, and their types, by their tags.
  private var enums: [String: (constants: [(name: String, value: Int64)], type: CType)] = [:]
  /// The typedefs of types with an alignment of their own.
  private var aligned: Set<String> = []
  /// The type map, whose meanings of types replace the header's own.
  private let map: TypeMap
  /// The sizes of structs and unions in bytes, by their types as C writes them.
  var sizes: [String: Int] = [:]
  /// The integers that macros of the header define.
  var macros = MacroNames()
  /// Whether functions are drafted that need memory whose size the header does not state.
  var hasCallerMemory = false
  /// Whether calls will confirm guesses from names.
  var isCalled = false
  /// The tags of the structs and unions whose address some function returns: the library's own objects.
  private(set) var given: Set<String> = []
  /// The tags of structs whose address a function without such an argument returns: the library makes them.
  private(set) var born: Set<String> = []
  /// The tags of structs that some function returns by value.
  private(set) var returned: Set<String> = []
  /// The first typedef of each struct with a tag.
  private(set) var typedefsOfTags: [String: String] = [:]
  /// The tags of structs, unions and enums, made up for those that have none, by clang's ids of the declarations.
  private var tags: [String: String] = [:]

  /// Reads the declarations of a translation unit. `source` returns the text of a file.
  init(_ declarations: [HeaderNode], types map: TypeMap = TypeMap(), source: (String) -> [UInt8]) {
    self.map = map
    for (name, meaning) in map.types where meaning != .optional { define(name, as: meaning) }
    var sources: [String: [UInt8]] = [:]
    func content(_ file: String) -> ParameterSource {
      let text = sources[file] ?? source(file)
      sources[file] = text
      return ParameterSource(text)
    }
    var indices: [String: Int] = [:]
    for node in declarations {
      switch node.kind {
      case "RecordDecl": _ = add(record: node)
      case "EnumDecl": add(enumeration: node)
      case "TypedefDecl":
        add(typedef: node)
        guard let name = node.name, FunctionPointerText.isFunction(node.type) else { continue }
        callbackNames[name] = content(node.file).callbackNames(node)
      case "FunctionDecl":
        let function = function(node, content(node.file)) { content($0.file).attribute($0) }
        guard let function else { continue }
        noteObjects(of: function)
        // The last of several declarations is used, but the description may be that of any of them.
        if let index = indices[function.name] {
          let description = functions[index].description
          functions[index] = function
          functions[index].description = function.description ?? description
        } else {
          indices[function.name] = functions.count
          functions.append(function)
        }
      default: break
      }
    }
  }

  /// Returns the type behind all typedefs.
  func resolved(_ type: CType) -> CType {
    var type = type
    // Bounded: clang's output may be of any origin, and have typedefs in a circle.
    for _ in 0..<64 {
      guard case .named(let name) = type, let meaning = typedefs[name] else { return type }
      type = meaning
    }
    return type
  }

  /// Returns the type that a typedef stands for; void if there is no such typedef.
  func meaning(of name: String) -> CType { typedefs[name] ?? .void }

  /// Returns the struct or union with that tag; nil if the header only names it.
  func record(_ tag: String) -> Record? { records[tag].flatMap { $0.isComplete ? $0 : nil } }

  /// Returns the elements that a type map states for a parameter, if any.
  func elements(of parameter: String, in function: String) -> TypeMap.Elements? {
    map.elements(of: parameter, in: function)
  }

  /// Returns the text that a type map has for a parameter, or for the result, in a signature, if any.
  func text(of parameter: String, in function: String) -> String? { map.text(of: parameter, in: function) }

  /// Whether a type map says that a parameter counts one of the others.
  func isCount(_ parameter: String, in function: String, of others: [String]) -> Bool {
    others.contains { text(of: $0, in: function)?.contains("[\(parameter)]") ?? false }
  }

  /// Whether a type map says that NULL stands for an object of that type: `GMainContext`.
  func isOptional(_ type: CType) -> Bool { names(of: type).contains { map.types[$0] == .optional } }

  /// Returns the struct of a signature that a type map states for a type, if any.
  func structure(_ type: CType) -> String? {
    for case .type(let meaning)? in names(of: type).map({ map.types[$0] }) {
      if case .structure = meaning { return "\(meaning)" }
    }
    return nil
  }

  /// Returns the convention by which a function reports failures, if a type map has one.
  func failure(of function: Function) -> String? {
    guard case .function(let result, _, _)? = function.type else { return nil }
    return map.failure(of: function.name, returning: names(of: result))
  }

  /// Returns why values of the type lie in memory otherwise than those of the type behind its typedefs, if they do.
  func irregularity(ofTypedefs type: CType) -> String? {
    names(of: type).contains(where: aligned.contains) ? Self.irregularity : nil
  }

  /// Returns the irregularity that attributes of a struct, a field or a typedef cause; `#pragma pack` makes such ones.
  private static func irregularity(of node: HeaderNode) -> String? {
    let attributes: Set<String> = ["PackedAttr", "AlignedAttr", "MaxFieldAlignmentAttr", "MSStructAttr"]
    return node.inner.contains { attributes.contains($0.kind) } ? irregularity : nil
  }

  private static let irregularity = "is packed or aligned"

  /// Returns the typedefs of a type, outermost first, and its tag.
  private func names(of type: CType) -> [String] {
    var names: [String] = []
    var type = type
    while names.count < 64 {
      guard case .named(let name) = type else { break }
      names.append(name)
      type = meaning(of: name)
    }
    if case .tagged(_, let tag) = type { names.append(tag) }
    return names
  }

  /// Whether a type is an enum.
  func isEnumeration(_ type: CType) -> Bool { if case .tagged("enum", _) = resolved(type) { true } else { false } }

  /// Returns the integer type of an enum's values; C's for one that the header does not define.
  func integer(ofEnumeration tag: String) -> CType {
    enums[tag].map { resolved($0.type) } ?? .integer(isSigned: false, bits: 32)
  }

  /// The expressions for numbers of elements of parameters, which have to be evaluated.
  var boundNames: Set<String> { Set(functions.flatMap { $0.parameters.compactMap(\.boundName) }) }

  /// Sets the numbers of elements of parameters to the values of their expressions.
  mutating func setBounds(_ value: (String) -> Int64?) {
    for function in functions.indices {
      for index in functions[function].parameters.indices {
        guard let number = functions[function].parameters[index].boundName.flatMap(value), (1...65536).contains(number)
        else { continue }
        functions[function].parameters[index].bound = Int(number)
      }
    }
  }

  /// Returns the constants of an enum, in the header's order.
  func constants(ofEnumeration tag: String) -> [(name: String, value: Int64)] { enums[tag]?.constants ?? [] }

  /// Defines a name as the type that a type map states for it.
  private mutating func define(_ name: String, as meaning: TypeMap.Meaning) {
    switch meaning {
    case .text: typedefs[name] = .char
    case .handle: typedefs[name] = .void
    case .type(let type): typedefs[name] = define(type, name)
    case .optional: break
    }
  }

  private mutating func define(_ type: ValueType, _ path: String) -> CType {
    switch type {
    case .scalar(let scalar):
      switch scalar.form {
      case .bool: return .bool
      case .signed, .unsigned: return .integer(isSigned: scalar.form == .signed, bits: 8 * scalar.size)
      case .float: return .float(bits: 8 * scalar.size)
      }
    case .array(let element, let count): return .array(of: define(element, path), count: count)
    case .cstr: return .pointer(to: .char, isConst: true)
    // A type of the map may be the address of an object of the same name.
    case .pointer(let name):
      return .pointer(to: map.types[name] == nil ? .named(name) : .tagged("struct", name: name), isConst: false)
    case .optional(let type): return define(type, path)
    case .counted(.slice(let element), _): return .pointer(to: define(element, path), isConst: true)
    case .counted: return .pointer(to: .void, isConst: true)
    case .structure(let structure):
      let tag = "#map-\(path)"
      let fields = structure.fields.map { ($0.name, define($0.type, "\(path)-\($0.name)")) }
      records[tag] = Record(isUnion: false, isComplete: true, irregularity: nil, fields: fields)
      return .tagged("struct", name: tag)
    default: return .unknown("\(type)")
    }
  }

  private mutating func add(record node: HeaderNode) -> String {
    let tag = node.name ?? "#\(node.id)"
    tags[node.id] = tag
    let irregularity = Self.irregularity(of: node)
    var record = Record(
      isUnion: node.tag == "union", isComplete: node.isComplete, irregularity: irregularity, fields: [])
    var unnamed: String?
    for member in node.inner {
      switch member.kind {
      case "RecordDecl": unnamed = add(record: member)
      case "EnumDecl": add(enumeration: member)
      case "FieldDecl":
        record.irregularity =
          record.irregularity ?? (member.isBitField ? "has bit-fields" : Self.irregularity(of: member))
        record.fields.append((member.name ?? "", Self.type(member.type, unnamed: unnamed)))
      default: break
      }
    }
    if node.isComplete || records[tag] == nil { records[tag] = record }
    return tag
  }

  private mutating func add(enumeration node: HeaderNode) {
    let tag = node.name ?? "#\(node.id)"
    tags[node.id] = tag
    var constants: [(name: String, value: Int64)] = []
    for constant in node.inner where constant.kind == "EnumConstantDecl" {
      // A constant without a value has the one after the previous constant's.
      let value = Self.value(of: constant) ?? constants.last.map { $0.value &+ 1 } ?? 0
      if let name = constant.name { constants.append((name, value)) }
    }
    let isPacked = node.inner.contains { $0.kind == "PackedAttr" }
    // The type that is written behind the name, as in C23.
    let type = node.type.isEmpty ? Self.integer(for: constants.map(\.value), isPacked: isPacked) : Self.type(node.type)
    // A declaration without constants, such as that of a typedef, defines nothing.
    if !constants.isEmpty || enums[tag] == nil { enums[tag] = (constants, type) }
  }

  /// Returns the type of an enum with these constants: an int or a larger integer; if it is packed, the smallest one.
  private static func integer(for values: [Int64], isPacked: Bool) -> CType {
    let isSigned = values.contains { $0 < 0 }
    let bits = values.map { value in
      Int64.bitWidth - (isSigned ? (value ^ value >> 63).leadingZeroBitCount - 1 : value.leadingZeroBitCount)
    }
    let least = max(bits.max() ?? 0, isPacked ? 8 : 32)
    return .integer(isSigned: isSigned, bits: [8, 16, 32].first { $0 >= least } ?? 64)
  }

  private static func value(of node: HeaderNode) -> Int64? {
    for part in node.inner {
      if let value = Int64(part.value) ?? UInt64(part.value).map({ Int64(bitPattern: $0) }) ?? value(of: part) {
        return value
      }
    }
    return nil
  }

  private mutating func add(typedef node: HeaderNode) {
    guard let name = node.name, map.types[name] ?? .optional == .optional else { return }
    if Self.irregularity(of: node) != nil { aligned.insert(name) }
    // A struct without a tag is found by its number: clang calls it by the typedef's name, or by its place.
    let owned = node.inner.first.flatMap { $0.tagID ?? $0.inner.first?.tagID }.flatMap { tags[$0] }
    guard let owned, owned.hasPrefix("#") else {
      let type = Self.type(node.type)
      typedefs[name] = type
      if case .tagged("struct", let tag) = type, !name.hasPrefix("_"), typedefsOfTags[tag] == nil {
        typedefsOfTags[tag] = name
      }
      return
    }
    let kind = records[owned].map { $0.isUnion ? "union" : "struct" } ?? "enum"
    let isPointer = node.inner.first?.kind == "PointerType"
    let type = CType.tagged(kind, name: owned)
    typedefs[name] = isPointer ? .pointer(to: type, isConst: false) : type
  }

  /// Remembers the structs whose address a function returns, as its result or through an address of an address.
  private mutating func noteObjects(of function: Function) {
    guard case .function(let result, let parameters, _)? = function.type else { return }
    if case .tagged(_, let tag) = resolved(result) { returned.insert(tag) }
    var types = [result]
    for parameter in parameters {
      guard case .pointer(let target, _) = resolved(parameter) else { continue }
      types.append(target)
    }
    for type in types {
      var type = resolved(type)
      guard case .pointer = type else { continue }
      // With the names of a type map, addresses may lead back to themselves.
      for _ in 0..<64 {
        guard case .pointer(let target, _) = type else { break }
        type = resolved(target)
      }
      guard case .tagged(_, let tag) = type else { continue }
      given.insert(tag)
      let isPassedOn = parameters.contains { parameter in
        if case .pointer(let target, _) = resolved(parameter) { resolved(target) == type } else { false }
      }
      if !isPassedOn { born.insert(tag) }
    }
  }

  private static func type(_ text: String, unnamed: String? = nil) -> CType {
    let type = CTypeParser.parse(text) ?? .unknown(text)
    return unnamed.map { type.naming($0) } ?? type
  }
}

extension CType {
  /// Returns the type with a tag in place of clang's name for a struct or union that has none.
  fileprivate func naming(_ tag: String) -> CType {
    switch self {
    case .tagged(let kind, let name) where name.hasPrefix("("): .tagged(kind, name: tag)
    case .pointer(let target, let isConst): .pointer(to: target.naming(tag), isConst: isConst)
    case .array(let element, let count): .array(of: element.naming(tag), count: count)
    default: self
    }
  }
}
