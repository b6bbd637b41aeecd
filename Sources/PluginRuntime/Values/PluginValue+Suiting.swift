extension PluginValue {
  /// Converts a value to a type without loss: an integer in the type's range, an integer that a float represents
  /// exactly, a string as bytes. `nil` if it does not fit. A type of `nil` is void.
  static func suiting(_ type: ValueType?, _ value: PluginValue) -> PluginValue? {
    if case .void = value, type?.isOptional ?? true { return value }
    switch (type?.kind, value) {
    case (.scalar(let scalar), _): return scalar.suiting(value)
    case (.pointer, .pointer(let pointer)): return type?.takes(addressOf: pointer.name) ?? false ? value : nil
    // The parts are checked when they are stored.
    case (.structure, .object), (.list, .array): return value
    case (.inlineText(let size), .string(let text)):
      // A result may fill the array to its end, without a NUL. The store checks an argument once more.
      return text.utf8.contains(0) || text.utf8.count > size ? nil : value
    case (.text(let hasNUL), .string(let text)): return hasNUL || !text.utf8.contains(0) ? value : nil
    case (.bytes, .bytes), (.file, .file), (.value, _): return value
    case (.bytes, .string(let text)): return .bytes(Array(text.utf8))
    default: return nil
    }
  }

  /// Whether the value already has the type, with all its parts.
  func isOf(_ type: ValueType) -> Bool {
    switch (type.kind, self) {
    case (_, .void) where type.isOptional: true
    case (.structure(let type), .object(let members)):
      members.count == type.fields.count
        && type.fields.allSatisfy { field in
          guard let member = self[member: field.name] else { return false }
          guard case .union(let union) = field.type else { return member.isOf(field.type) }
          return union.choice(tagged: self[member: union.tag]).map { member.isOf($0) } ?? (member == .void)
        }
    case (.list(let type, let count), .array(let elements)):
      elements.count == count ?? elements.count && elements.allSatisfy { $0.isOf(type) }
    case (.scalar(let scalar), .int(let number)): scalar.signedRange?.contains(number) ?? false
    case (.scalar(let scalar), .uint(let number)): scalar.unsignedRange?.contains(number) ?? false
    // Compared without ==, since NaN is not equal to itself.
    case (.scalar(let scalar), .double): scalar.suiting(self) != nil
    default: PluginValue.suiting(type, self) == self
    }
  }

  /// The description of the value in errors: the value of a scalar, otherwise the kind.
  var name: String {
    switch self {
    case .void: "void"
    case .bool, .int, .uint, .double: json
    case .string: "a string"
    case .bytes: "bytes"
    case .pointer(let pointer): "an address of a \(pointer.name)"
    case .file: "an open file"
    case .array(let elements): elements.count == 1 ? "an array of 1 element" : "an array of \(elements.count) elements"
    case .object: "an object"
    }
  }
}
