extension ValueType {
  /// Converts JSON to a value of this type, exactly or not at all.
  ///
  /// Integers are converted from their digits, so 64 bits are exact. Floats may be "NaN", "Infinity" and "-Infinity".
  /// Bytes are a string, for its UTF-8, an array of numbers, or {"base64": "..."}.
  ///
  /// - Throws: `ArgumentMismatch` with the path of the mismatched part.
  public func value(fromJSON json: JSONText) throws(ArgumentMismatch) -> PluginValue {
    switch self {
    case .constant(let constants): return try constants.value(fromJSON: json)
    case .optional(let type):
      if case .null = json { return .void }
      return try type.value(fromJSON: json)
    default: break
    }
    switch (kind, json) {
    case (.scalar(let scalar), _):
      guard let value = scalar.value(fromJSON: json) else { throw mismatch(json) }
      return value
    case (.text(let hasNUL), .string(let text)): return .string(try Self.text(text, hasNUL: hasNUL))
    case (.inlineText(let size), .string(let text)):
      try InlineText.check(text, size: size)
      return .string(text)
    case (.bytes, _): return .bytes(try bytes(json))
    case (.pointer, _), (.file, _):
      throw ArgumentMismatch(message: "is \(json.name), expected \(expectationWithoutText)")
    case (.structure(let type), .object(let members)): return try object(type, members)
    case (.union, .null): return .void
    case (.union(let union), .object(let members)):
      let tag = members.first.flatMap { union.values[$0.name] }
      guard let choice = union.choice(tagged: tag) else { throw mismatch(json) }
      return try choice.value(fromJSON: json)
    case (.list(let element, let count), .array(let elements)):
      guard elements.count == count ?? elements.count else {
        throw ArgumentMismatch(message: "has \(elements.count) elements, expected \(count ?? 0)")
      }
      return .array(try element.array(elements))
    case (.list(.u8, nil), .string), (.list(.u8, nil), .object): return .bytes(try bytes(json))
    case (.promise(let held?), _): return try held.value(fromJSON: json)
    case (.promise(nil), .null): return .void
    case (.value, _), (.error, .object): return try PluginValue(untyped: json)
    default: throw mismatch(json)
    }
  }

  /// Converts elements of this type.
  private func array(_ elements: [JSONText]) throws(ArgumentMismatch) -> [PluginValue] {
    var values: [PluginValue] = []
    values.reserveCapacity(elements.count)
    for (index, json) in elements.enumerated() {
      values.append(try converting("[\(index)]") { () throws(ArgumentMismatch) in try value(fromJSON: json) })
    }
    return values
  }

  private func object(
    _ type: StructType, _ members: [(name: String, value: JSONText)]
  ) throws(ArgumentMismatch) -> PluginValue {
    var values: [PluginMember] = []
    values.reserveCapacity(type.fields.count)
    var found = 0
    for (index, field) in type.fields.enumerated() {
      // Most objects have their members in the struct's order.
      let isInOrder = index < members.count && members[index].name == field.name
      let member = isInOrder ? members[index] : members.first { $0.name == field.name }
      if member != nil { found += 1 }
      let tag = try member == nil ? self.value(ofTag: field, of: type, members) : nil
      if let tag {
        values.append(PluginMember(field.name, tag))
        continue
      }
      if member == nil, type.isCount(field.name) { continue }
      guard let json = member?.value ?? (field.type.isOptional ? .null : nil) else {
        throw ArgumentMismatch(path: ".\(field.name)", message: "is missing, expected \(field.type.expectation)")
      }
      let value = try converting(".\(field.name)") { () throws(ArgumentMismatch) in
        guard case .union(let union) = field.type else { return try field.type.value(fromJSON: json) }
        let tag = values.first { $0.name == union.tag }?.value
        if let choice = union.choice(tagged: tag) { return try choice.value(fromJSON: json) }
        guard case .null = json else { throw union.mismatch(json.name) }
        return .void
      }
      values.append(PluginMember(field.name, value))
    }
    if found < members.count,
      let other = members.first(where: { member in !type.fields.contains { $0.name == member.name } })
    {
      throw ArgumentMismatch(
        path: ".\(other.name)",
        message: "is not a field, expected \(type.fields.map(\.name).joined(separator: ", "))")
    }
    return .object(values)
  }

  /// Returns the value of a tag that is not among the members: the one that chooses the given member of its union.
  private func value(
    ofTag field: StructType.Field, of type: StructType, _ members: [(name: String, value: JSONText)]
  ) throws(ArgumentMismatch) -> PluginValue? {
    try type.value(ofTag: field) { union in
      guard case .object(let given)? = members.first(where: { $0.name == union })?.value else { return nil }
      return given.first?.name
    }
  }

  private func bytes(_ json: JSONText) throws(ArgumentMismatch) -> [UInt8] {
    switch json {
    case .string(let text): return Array(text.utf8)
    case .array(let elements):
      var bytes: [UInt8] = []
      bytes.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        guard case .number(let digits) = element, let byte = UInt8(digits) else {
          throw ArgumentMismatch(path: "[\(index)]", message: "is \(element.name), expected an integer from 0 to 255")
        }
        bytes.append(byte)
      }
      return bytes
    case .object:
      guard case .string(let text)? = json["base64"], let bytes = Base64.decode(text) else { throw mismatch(json) }
      return bytes
    default: throw mismatch(json)
    }
  }

  private func mismatch(_ json: JSONText) -> ArgumentMismatch {
    let form = content == .bytes ? "a string, an array of bytes or {\"base64\": \"...\"}" : expectation
    return ArgumentMismatch(message: "is \(json.name), expected \(form)")
  }
}

extension ScalarType {
  private static let namedNumbers: [String: Double] = [
    "NaN": .nan, "Infinity": .infinity, "-Infinity": -.infinity,
  ]

  fileprivate func value(fromJSON json: JSONText) -> PluginValue? {
    switch (form, json) {
    case (.bool, .bool(let value)): .bool(value)
    case (.float, .string(let name)): Self.namedNumbers[name].map { .double($0) }
    case (_, .number(let digits)): value(ofJSON: digits)
    default: nil
    }
  }
}

extension PluginValue {
  /// Converts JSON without a type. A number is an integer if it is written as one and fits in 64 bits;
  /// {"base64": "..."} is bytes.
  ///
  /// - Throws: `ArgumentMismatch` with the path of a number that neither 64 bits nor an f64 hold.
  public init(untyped json: JSONText) throws(ArgumentMismatch) {
    switch json {
    case .null: self = .void
    case .bool(let value): self = .bool(value)
    case .number(let digits):
      let integer: PluginValue? = Int64(digits).map { .int($0) } ?? UInt64(digits).map { .uint($0) }
      let number = integer ?? ScalarType.f64.value(ofJSON: digits)
      guard let number else {
        throw ArgumentMismatch(message: "is \(json.name), expected \(ScalarType.f64.expectation)")
      }
      self = number
    case .string(let text): self = .string(text)
    case .array(let elements):
      var values: [PluginValue] = []
      values.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        values.append(
          try converting("[\(index)]") { () throws(ArgumentMismatch) in try PluginValue(untyped: element) })
      }
      self = .array(values)
    case .object(let members):
      if members.count == 1, case .string(let text)? = json["base64"], let bytes = Base64.decode(text) {
        self = .bytes(bytes)
        return
      }
      var values: [PluginMember] = []
      values.reserveCapacity(members.count)
      for member in members {
        let value = try converting(".\(member.name)") { () throws(ArgumentMismatch) in
          try PluginValue(untyped: member.value)
        }
        values.append(PluginMember(member.name, value))
      }
      self = .object(values)
    }
  }
}
