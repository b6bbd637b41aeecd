extension PluginValue {
  /// Converts a value to a type without loss: an integer in the type's range, an integer that a float represents
  /// exactly, a string as bytes. `nil` if it does not fit. A type of `nil` is void.
  static func suiting(_ type: ValueType?, _ value: PluginValue) -> PluginValue? {
    switch (type, value) {
    case (.scalar(let scalar), _): return scalar.suiting(value)
    case (.optional, .void): return value
    case (.own(.pointer, _)?, .pointer(let pointer)), (.pointer?, .pointer(let pointer)):
      return type?.takes(addressOf: pointer.name) ?? false ? value : nil
    case (.optional(let type), _), (.own(let type, _), _), (.counted(let type, _), _), (.reference(let type), _):
      return suiting(type, value)
    case (.structure?, .object), (.array?, .array), (.slice?, .array), (.terminated?, .array):
      // The parts are checked when they are stored.
      return value
    case (nil, .void), (.str, .string), (.bytes, .bytes), (.fd, .file), (.value, _): return value
    case (.cstr, .string(let text)): return text.utf8.contains(0) ? nil : value
    case (.inlineText(let size), .string(let text)):
      // A result may fill the array to its end, without a NUL. The store checks an argument once more.
      return text.utf8.contains(0) || text.utf8.count > size ? nil : value
    case (.bytes, .string(let text)): return .bytes(Array(text.utf8))
    default: return nil
    }
  }

  /// Whether the value already has the type, with all its parts.
  func isOf(_ type: ValueType) -> Bool {
    switch (type, self) {
    case (.optional, .void): true
    case (.optional(let type), _), (.own(let type, _), _), (.counted(let type, _), _), (.reference(let type), _):
      isOf(type)
    case (.structure(let type), .object(let members)):
      members.count == type.fields.count
        && type.fields.allSatisfy { field in
          guard let member = self[member: field.name] else { return false }
          guard case .union(let union) = field.type else { return member.isOf(field.type) }
          return union.choice(tagged: self[member: union.tag]).map { member.isOf($0) } ?? (member == .void)
        }
    case (.array(let type, let count), .array(let elements)):
      elements.count == count && elements.allSatisfy { $0.isOf(type) }
    case (.slice(let type), .array(let elements)), (.terminated(let type), .array(let elements)):
      elements.allSatisfy { $0.isOf(type) }
    case (.structure, _), (.array, _), (.slice, _), (.terminated, _): false
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
