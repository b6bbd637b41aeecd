import PluginRuntime

/// The parameters and the result of a function, as JSON Schema (draft 2020-12).
enum JSONSchema {
  private static let draft = ("$schema", JSON.string("https://json-schema.org/draft/2020-12/schema"))

  /// Returns the schema of an object with the arguments by name.
  static func arguments(of function: FunctionDescription) -> JSON {
    let signature = function.signature
    var properties = signature.inputs.map { parameter in
      (parameter.name, property(parameter.argumentType, .input, parameter.note, parameter.defaultValue))
    }
    if let tail = signature.tail, let name = tail.name {
      let element = JSON.object([("anyOf", .array(tail.types.map { .object($0.schema(.input)) }))])
      properties.append((name, .object(note(tail.note) + [("type", .string("array")), ("items", element)])))
    }
    let required = signature.inputs.filter { $0.fallback == nil }.map { JSON.string($0.name) }
    return .object(
      [draft, ("title", .string(function.name))] + note(function.description)
        + object(properties, required: required))
  }

  /// Returns the schema of the text that a call prints.
  static func result(of function: FunctionDescription) -> JSON {
    let signature = function.signature
    let head = [draft, ("title", .string(function.name))]
    let result = signature.yielded.map { property($0, .output, signature.resultNote) }
    guard !signature.outputs.isEmpty else {
      let schema = signature.yielded.map { $0.schema(.output) } ?? null
      return .object(head + note(signature.resultNote) + schema)
    }
    var properties = result.map { [("result", $0)] } ?? []
    properties += signature.outputs.map { ($0.name, property($0.type, .output, $0.note)) }
    return .object(head + object(properties, required: properties.map { .string($0.0) }))
  }

  fileprivate static let null: [(name: String, value: JSON)] = [("type", .string("null"))]

  fileprivate static func object(
    _ properties: [(name: String, value: JSON)], required: [JSON]
  ) -> [(name: String, value: JSON)] {
    [
      ("type", .string("object")), ("properties", .object(properties)), ("required", .array(required)),
      ("additionalProperties", .bool(false)),
    ]
  }

  private static func property(
    _ type: ValueType, _ use: Use, _ description: String?, _ defaultValue: PluginValue? = nil
  ) -> JSON {
    .object(note(description) + type.schema(use) + (defaultValue.map { [("default", $0.asArgument)] } ?? []))
  }

  private static func note(_ description: String?) -> [(name: String, value: JSON)] {
    description.map { [("description", .string($0))] } ?? []
  }

  /// The direction of a value: some have more forms as an argument than as a result.
  enum Use {
    case input, output
  }
}

extension ValueType {
  /// Returns the keywords that describe a value of this type as JSON.
  fileprivate func schema(_ use: JSONSchema.Use) -> [(name: String, value: JSON)] {
    switch self {
    case .optional(let type): return anyOf([type.schema(use), JSONSchema.null])
    case .constant(let constants): return schema(of: constants)
    default: break
    }
    switch kind {
    case .scalar(let scalar):
      if scalar.form == .bool { return [("type", .string("boolean"))] }
      if let (least, greatest) = scalar.limits {
        return [("type", .string("integer")), ("minimum", .value(least)), ("maximum", .value(greatest))]
      }
      let names = ["NaN", "Infinity", "-Infinity"].map(JSON.string)
      return anyOf([[("type", .string("number"))], [("enum", .array(names))]])
    case .text(hasNUL: true): return [("type", .string("string"))]
    case .text(hasNUL: false): return [("type", .string("string")), ("pattern", .string("^[^\\u0000]*$"))]
    case .inlineText(let size):
      // The limit is one of bytes, of which each letter has one at least.
      let longest = UInt64(use == .input ? size - 1 : size)
      return [
        ("type", .string("string")), ("pattern", .string("^[^\\u0000]*$")), ("maxLength", .number(longest)),
      ]
    case .bytes: return use == .output ? Self.base64 : bytesInput
    case .list(.u8, nil) where use == .input: return bytesInput
    case .pointer where use == .output: return [("type", .string("string")), ("pattern", .string("^0x[0-9a-fA-F]+$"))]
    case .file where use == .output: return [("type", .string("string")), ("pattern", .string("^fd:[0-9]+$"))]
    case .structure(let type):
      let fields = type.fields.map { ($0.name, JSON.object($0.type.schema(use))) }
      // In an argument, an optional field, a union's tag and a count may be absent.
      let required = type.fields.filter {
        use == .output || !$0.type.isOptional && type.union(taggedBy: $0.name) == nil && !type.isCount($0.name)
      }
      .map { JSON.string($0.name) }
      return JSONSchema.object(fields, required: required)
    case .union(let type):
      let members = type.members.map { member in
        let value = JSON.object(member.type.schema(use))
        return JSON.object(JSONSchema.object([(member.name, value)], required: [.string(member.name)]))
      }
      return [("oneOf", .array(members + [JSON.object(JSONSchema.null)]))]
    case .list(let element, let count):
      let limits = count.map { [("minItems", JSON.number(UInt64($0))), ("maxItems", JSON.number(UInt64($0)))] } ?? []
      return [("type", .string("array")), ("items", .object(element.schema(use)))] + limits
    case .promise(let held): return held.map { $0.schema(use) } ?? JSONSchema.null
    case .value, .error: return []
    // Types that have no form in JSON.
    case .pointer, .file, .callback, .token, .context: return [("not", .object([]))]
    }
  }

  private static let base64: [(name: String, value: JSON)] = [
    ("type", .string("string")), ("contentEncoding", .string("base64")),
  ]

  private var bytesInput: [(name: String, value: JSON)] {
    let coded = JSONSchema.object([("base64", .object(Self.base64))], required: [.string("base64")])
    return anyOf([
      [("type", .string("string"))], [("type", .string("array")), ("items", .object(ValueType.u8.schema(.input)))],
      coded,
    ])
  }

  /// Describes a number, a name, or for flags several names: in an array, or in a text with "|" between them.
  private func schema(of constants: ConstantSet) -> [(name: String, value: JSON)] {
    let names = JSON.array(constants.constants.map { .string($0.name) })
    let number = constants.base.schema(.input)
    // A library may have thousands of constants, and each of its integers accepts all of them.
    if constants.areOfLibrary { return anyOf([number, [("type", .string("string"))]]) }
    guard constants.areFlags else { return anyOf([number, [("enum", names)]]) }
    let name = "(\(constants.constants.map(\.name).joined(separator: "|")))"
    let pattern = "^\(name)( *\\| *\(name))*$"
    return anyOf([
      number, [("type", .string("string")), ("pattern", .string(pattern))],
      [("type", .string("array")), ("items", .object([("enum", names)]))],
    ])
  }

  private func anyOf(_ schemas: [[(name: String, value: JSON)]]) -> [(name: String, value: JSON)] {
    [("anyOf", .array(schemas.map(JSON.object)))]
  }
}

extension PluginValue {
  /// The value as JSON of an argument: bytes are a text, or an object with base64.
  var asArgument: JSON {
    switch self {
    case .bytes(let bytes):
      String(validating: bytes, as: UTF8.self).map(JSON.string) ?? .object([("base64", .value(self))])
    case .array(let elements): .array(elements.map(\.asArgument))
    case .object(let members): .object(members.map { ($0.name, $0.value.asArgument) })
    default: .value(self)
    }
  }
}
