extension PluginDescription {
  /// The description as a value, for JSON, CBOR or another process. `init(from:)` reads it back:
  ///
  ///     {"path": text, "id": text, "version": text, "description": text or void, "abi": {"min": u32, "max": u32},
  ///      "required": [text], "functions": [{"signature": text, "description": text or void}],
  ///      "adoption": void or {"id", "library": text, "version", "description", "file": text or void,
  ///                           "functions": [{"signature": text, "description", "symbol": text or void}],
  ///                           "constants": {name: integer}}}
  public var value: PluginValue {
    .object([
      PluginMember("path", .string(path)), PluginMember("id", .string(id)), PluginMember("version", .string(version)),
      PluginMember("description", PluginValue(description)),
      PluginMember(
        "abi",
        .object([
          PluginMember("min", .uint(UInt64(abi.lowerBound))), PluginMember("max", .uint(UInt64(abi.upperBound))),
        ])),
      PluginMember("required", .array(required.map { .string($0) })),
      PluginMember("functions", .array(functions.map(\.value))),
      PluginMember("adoption", adoption?.value ?? .void),
    ])
  }

  /// Reads a description that `value` wrote, and checks it as if a plugin had given it: ids, the range of versions,
  /// each signature, unique names. Unknown members are ignored.
  ///
  /// - Throws: `ArgumentMismatch` with the path of the first wrong field, such as "functions[3].signature".
  public init(from value: PluginValue) throws(ArgumentMismatch) {
    let fields = try ValueFields(value)
    path = try fields.text("path")
    guard path.isAbsolutePath, !path.utf8.contains(0) else {
      throw ArgumentMismatch(path: "path", message: "is \(PluginValue.string(path).json), expected an absolute path")
    }
    id = try fields.id()
    version = try fields.text("version")
    guard !version.isEmpty else {
      throw ArgumentMismatch(path: "version", message: "is empty, expected one such as \"1.0.0\"")
    }
    description = try fields.optionalText("description")
    required = try fields.elements("required", limit: PluginDescriptor.maximumRequirements) {
      (element) throws(ArgumentMismatch) in
      guard case .string(let id) = element else {
        throw ArgumentMismatch(message: "is \(element.name), expected the id of a plugin")
      }
      return try ValueFields.checkedID(id)
    }
    abi = try fields.versions("abi")
    let functions = try fields.functions(FunctionDescription.init(from:), \.name)
    adoption = try fields.optionalFields("adoption").map { (fields) throws(ArgumentMismatch) in
      try converting("adoption.") { () throws(ArgumentMismatch) in try Adoption(from: fields) }
    }
    let constants = LibraryConstantSets(adoption?.constants ?? [])
    self.functions = functions.map {
      FunctionDescription(signature: $0.signature.accepting(constants), description: $0.description)
    }
  }
}

extension FunctionDescription {
  fileprivate var value: PluginValue {
    .object([
      PluginMember("signature", .string(signature.description)), PluginMember("description", PluginValue(description)),
    ])
  }

  fileprivate init(from fields: ValueFields) throws(ArgumentMismatch) {
    signature = try fields.signature()
    description = try fields.optionalText("description")
  }
}

extension Adoption {
  /// The adoption as a value; `init(from:)` reads it back.
  var value: PluginValue {
    .object([
      PluginMember("id", .string(id)), PluginMember("library", .string(library)),
      PluginMember("version", PluginValue(version)), PluginMember("description", PluginValue(description)),
      PluginMember("file", PluginValue(file)), PluginMember("functions", .array(functions.map(\.value))),
      PluginMember("constants", .object(constants.map { PluginMember($0.name, $0.value) })),
    ])
  }

  init(from fields: ValueFields) throws(ArgumentMismatch) {
    self.init(
      id: try fields.id(), library: try fields.text("library"), version: try fields.optionalText("version"),
      description: try fields.optionalText("description"),
      functions: try fields.functions(Function.init(from:), \.signature.name),
      constants: try fields.integers("constants"), file: try fields.optionalText("file"))
  }
}

extension Adoption.Function {
  fileprivate var value: PluginValue {
    .object([
      PluginMember("signature", .string(signature.description)), PluginMember("description", PluginValue(description)),
      PluginMember("symbol", PluginValue(symbol)),
    ])
  }

  fileprivate init(from fields: ValueFields) throws(ArgumentMismatch) {
    self.init(
      signature: try fields.signature(), description: try fields.optionalText("description"),
      symbol: try fields.optionalText("symbol"))
  }
}

extension PluginValue {
  /// The text, or void.
  fileprivate init(_ text: String?) { self = text.map { .string($0) } ?? .void }
}

extension ValueFields {
  /// Returns the members of an object, all integers; none if the member is absent.
  fileprivate func integers(_ name: String) throws(ArgumentMismatch) -> [ConstantSet.Constant] {
    guard let fields = try optionalFields(name) else { return [] }
    return try fields.all.map { (member) throws(ArgumentMismatch) in
      switch member.value {
      case .int, .uint: return ConstantSet.Constant(name: member.name, value: member.value)
      default: throw Self.mismatch("\(name).\(member.name)", member.value, "an integer")
      }
    }
  }

  fileprivate static func checkedID(_ id: String) throws(ArgumentMismatch) -> String {
    guard PluginDescription.isID(id) else {
      throw ArgumentMismatch(
        message: "is \(PluginValue.string(id).json), expected letters, digits, '.', '-' and '_'")
    }
    return id
  }

  fileprivate func id() throws(ArgumentMismatch) -> String {
    let id = try text("id")
    return try converting("id") { () throws(ArgumentMismatch) in try Self.checkedID(id) }
  }

  fileprivate func versions(_ name: String) throws(ArgumentMismatch) -> ClosedRange<UInt32> {
    guard let range = try optionalFields(name) else {
      throw ArgumentMismatch(path: name, message: "is missing, expected an object")
    }
    let (oldest, newest) = try converting("\(name).") { () throws(ArgumentMismatch) in
      (try range.number("min"), try range.number("max"))
    }
    guard oldest >= 1, oldest <= newest else {
      throw ArgumentMismatch(path: name, message: "is \(oldest) to \(newest), expected 1 or more, the lower first")
    }
    return oldest...newest
  }

  fileprivate func signature() throws(ArgumentMismatch) -> Signature {
    let text = try text("signature")
    do {
      return try Signature(parsing: text)
    } catch {
      throw ArgumentMismatch(path: "signature", message: "has a mistake, \(error)")
    }
  }

  /// Returns the elements of the array "functions", whose names must be unique.
  fileprivate func functions<T>(
    _ read: (ValueFields) throws(ArgumentMismatch) -> T, _ name: (T) -> String
  ) throws(ArgumentMismatch) -> [T] {
    var names: Set<String> = []
    return try elements("functions", limit: PluginDescriptor.maximumFunctions) { (element) throws(ArgumentMismatch) in
      let fields = try ValueFields(element)
      let function = try converting(".") { () throws(ArgumentMismatch) in try read(fields) }
      guard names.insert(name(function)).inserted else {
        throw ArgumentMismatch(message: "is a second function named '\(name(function))', expected another name")
      }
      return function
    }
  }
}
