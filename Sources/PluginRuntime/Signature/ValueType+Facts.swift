/// The facts about each type of a signature: its form in C, and the kind of its values.
///
/// Layout, libffi type, places, defaults, text, JSON, JSON Schema, messages and random values follow from both. A type
/// whose form and kind other types have needs nothing there. docs/architecture.md lists the files for a new one.
extension ValueType {
  /// The representation of values in C.
  enum Form {
    case scalar(ScalarType)
    /// One word.
    case address
    /// A struct of an address and a count.
    case span
    case structure(StructType)
    case union(UnionType)
    /// An array of this number of char.
    case text(size: Int)
    /// Consecutive elements; alone, they are passed by address.
    case array(ValueType, count: Int)
  }

  /// The values that callers pass and receive, besides the NULL of an optional.
  package enum Kind {
    case scalar(ScalarType)
    case text(hasNUL: Bool)
    /// Text in an array of this number of char.
    case inlineText(size: Int)
    case bytes
    /// An address of a type with this name.
    case pointer(String)
    case file
    /// Elements; `count` is `nil` for any number of them.
    case list(ValueType, count: Int?)
    case structure(StructType)
    case union(UnionType)
    case promise(ValueType?)
    case callback(CallbackType)
    case error, token, value, context
  }

  /// The form of a value as an argument, a result, a field or an element.
  var form: Form {
    switch self {
    case .scalar(let scalar): .scalar(scalar)
    case .fd: .scalar(.i32)
    case .str, .bytes, .slice: .span
    case .cstr, .pointer, .reference, .promise, .callback, .context, .error, .token, .value, .counted, .terminated:
      .address
    case .structure(let type): .structure(type)
    case .union(let type): .union(type)
    case .array(let element, let count): .array(element, count: count)
    case .inlineText(let size): .text(size: size)
    case .own(let type, _): type.form
    // A value that has no NULL is passed by address.
    case .optional(let type): type.isSpan ? .span : .address
    case .constant(let constants): constants.base.form
    }
  }

  /// The kind of the values.
  package var kind: Kind {
    switch self {
    case .scalar(let scalar): .scalar(scalar)
    case .str: .text(hasNUL: true)
    case .cstr: .text(hasNUL: false)
    case .inlineText(let size): .inlineText(size: size)
    case .bytes: .bytes
    case .pointer(let name): .pointer(name)
    case .fd: .file
    case .array(let element, let count): .list(element, count: count)
    case .slice(let element), .terminated(let element): .list(element, count: nil)
    case .structure(let type): .structure(type)
    case .union(let type): .union(type)
    case .promise(let held): .promise(held)
    case .callback(let type): .callback(type)
    case .error: .error
    case .token: .token
    case .value: .value
    case .context: .context
    case .own(let type, _), .counted(let type, _), .reference(let type), .optional(let type): type.kind
    case .constant(let constants): constants.base.kind
    }
  }

  /// Whether the function may keep the address of an argument of the type: a copy of the data can outlive the call.
  var canBeKept: Bool {
    switch self {
    case .cstr, .counted, .reference, .terminated, .array, .optional(.structure): !hasPointer
    case .optional(let type): type.canBeKept
    default: false
    }
  }

  /// Whether `?` may follow the type.
  var canBeOptional: Bool {
    switch self {
    // A `?` after `&T` belongs to the address, and is `T?`.
    case .optional, .context, .reference, .fd, .inlineText: false
    default: true
    }
  }
}

// The form.
extension ValueType {
  /// Whether C represents the type as an address, which is NULL for a missing optional.
  var isAddress: Bool { if case .address = form { true } else { false } }

  /// Whether C represents the type as a struct of an address and a count.
  var isSpan: Bool { if case .span = form { true } else { false } }

  /// Whether C passes and returns arrays of the type's values by address.
  var isArray: Bool { if case .array = form { true } else { false } }

  /// The number that C has for a value; `nil` for other types.
  var number: ScalarType? { if case .scalar(let scalar) = form { scalar } else { nil } }

  /// Whether a value contains all of its data: scalars, and structs and arrays of them.
  public var isPlain: Bool {
    switch form {
    case .structure(let type): type.fields.allSatisfy { $0.type.isPlain }
    case .array(let element, _): element.isPlain
    default: isScalar
    }
  }

  /// Whether a union lies in the value itself, which libffi cannot pass.
  var hasUnion: Bool {
    switch form {
    case .union: true
    case .structure(let type): type.fields.contains { $0.type.hasUnion }
    case .array(let element, _): element.hasUnion
    default: false
    }
  }
}

// The kind of the values.
extension ValueType {
  /// Whether `?` follows the type.
  package var isOptional: Bool { if case .optional = self { true } else { false } }

  /// The type of the elements of arrays, slices, bytes and text.
  var element: ValueType { if case .list(let element, _) = kind { element } else { .u8 } }

  /// The name of the pointee's type; `nil` for other types.
  package var objectName: String? { if case .pointer(let name) = kind { name } else { nil } }

  /// The type of the value's callback; `nil` for other values.
  package var callbackType: CallbackType? { if case .callback(let type) = kind { type } else { nil } }

  /// The fields of a struct, or the members of a union; `nil` for other types.
  public var fields: [StructType.Field]? {
    switch kind {
    case .structure(let type): type.fields
    case .union(let type): type.members
    default: nil
    }
  }

  /// Whether a value is data: it can be stored in memory, and needs no release.
  var isData: Bool {
    switch kind {
    case .scalar, .text, .inlineText, .bytes, .pointer, .list, .structure: !isOwn && !unwrapped.isCounted
    default: false
    }
  }

  /// Whether the values, or parts of them, have a kind that satisfies the condition.
  package func contains(_ isFound: (Kind) -> Bool) -> Bool {
    let kind = kind
    if isFound(kind) { return true }
    return switch kind {
    case .list(let element, _), .promise(let element?): element.contains(isFound)
    default: fields?.contains { $0.type.contains(isFound) } ?? false
    }
  }

  /// Whether a value may contain an address in the library.
  var hasPointer: Bool { contains { if case .pointer = $0 { true } else { false } } }
}
