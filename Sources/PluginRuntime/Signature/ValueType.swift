/// The type of a parameter, a result, a field or an element in a signature.
public indirect enum ValueType: Sendable, Hashable {
  /// A number or a truth value: `i32`, `f64`, `bool`.
  case scalar(ScalarType)
  case str, bytes, cstr
  /// `ptr<Name>`: an opaque address, which only the plugin dereferences.
  case pointer(String)
  /// `{x: f64, y: f64}`: a struct, by value.
  case structure(StructType)
  /// `union(kind) {number: i64 = 1, text: cstr = 2}`: a field of a struct whose field `kind` chooses the member.
  case union(UnionType)
  /// `[f64; 3]`: by value in a struct; as a parameter, the address of the elements.
  case array(ValueType, count: Int)
  /// `str[16]`: text in an array of 16 char, up to the first NUL. It lies in a struct, or behind `out` and `inout`.
  case inlineText(size: Int)
  /// `&[f64]`: a slice, an address and a count, by value as a struct of two words.
  case slice(ValueType)
  /// `&{x: f64}`, `&i32`: the address of one value, never NULL.
  case reference(ValueType)
  /// `bytes[n]`, `str[n]`, `&[f64; n]`: an address, with the count in the parameter of that name; `*` where nothing in
  /// the call has it, and the function knows how many elements there are.
  case counted(ValueType, by: String)
  /// `&[cstr; 0]`: the address of elements, with NULL, or a zero, after the last.
  case terminated(ValueType)
  /// `own T`: the receiver frees the value, with the host's allocator, or with the named function: `own(free) T`.
  case own(ValueType, release: String? = nil)
  /// `T?`: NULL, or a value. A `T` that is neither an address nor a span is passed by address.
  case optional(ValueType)
  /// `promise<T>`; `nil` is `promise<void>`.
  case promise(ValueType?)
  /// `fn(T, ...) -> T @scope`.
  case callback(CallbackType)
  /// `context`, or `context<callback>`: the `void *` that is passed back to a callback.
  case context(of: String?)
  case error, token, value
  /// `fd`: an open file, as C's number of its descriptor.
  case fd
  /// An integer whose values have names. Only `Parameter.argumentType` is of this kind: to C it is the integer.
  case constant(ConstantSet)

  /// The types written as one word: those of data, and those that only some places take.
  static let simple: [ValueType] = ScalarType.allCases.map { .scalar($0) } + [.str, .bytes, .cstr]
  static let special: [ValueType] = [.error, .token, .value, .fd]
}

/// A struct passed by value, with the field layout of a C compiler.
public struct StructType: Sendable, Hashable {
  /// A field of a struct.
  public struct Field: Sendable, Hashable {
    /// The name, unique in the struct.
    public let name: String
    /// The type of the field.
    public let type: ValueType
  }

  /// The fields in memory order; at least one.
  public let fields: [Field]
}

extension ValueType {
  /// The type without `?`.
  var unwrapped: ValueType {
    if case .optional(let type) = self { return type }
    return self
  }

  /// The type of the value itself, without `?`, `&`, `own` and a count.
  public var content: ValueType {
    switch self {
    case .optional(let type), .own(let type, _), .counted(let type, _), .reference(let type): type.content
    case .constant(let constants): constants.base
    default: self
    }
  }

  /// Whether an address of the type `name` suits this type. As in C, `void` suits any other type, and any other type
  /// suits `void`; but an object that is released has to be of the type. A callback is called by C, so it has to be a
  /// function.
  func takes(addressOf name: String) -> Bool {
    switch self {
    case .pointer(let own): own == name || own == "void" || name == "void"
    case .own(.pointer(let own), _): own == name
    case .callback: name == "function" || name == "void"
    case .token: name == "promise_token_t" || name == "token" || name == "void"
    case .optional(let type): type.takes(addressOf: name)
    default: false
    }
  }

  /// Whether the code that receives a value owns it.
  var isOwn: Bool { if case .own = unwrapped { true } else { false } }

  /// Whether it is an object that its receiver releases.
  var isOwnedObject: Bool { if case .own(.pointer, _) = unwrapped { true } else { false } }

  /// Whether it is an object that the host destroys, as the result of a call.
  package var isDestroyedObject: Bool { if case .own(.pointer, .some) = unwrapped { true } else { false } }

  /// Whether it is the address of elements whose number is in another parameter or field, or known to the function
  /// alone.
  var isCounted: Bool { if case .counted = self { true } else { false } }

  /// Whether a NULL, or a zero, ends the elements.
  package var isTerminated: Bool { if case .terminated = content { true } else { false } }

  /// Whether another parameter, or the type itself, states the number of the elements.
  var isCountedOnce: Bool { countName != nil || statedCount != nil }

  /// The count of elements whose number the function alone knows: `bytes[*]`.
  static let noCount = "*"

  /// The number of elements that the type itself states: the 64 of `bytes[64]`. `nil` for any other type.
  package var statedCount: Int? {
    switch self {
    case .counted(_, let name): Int(name)
    case .optional(let type), .own(let type, _): type.statedCount
    default: nil
    }
  }

  /// Whether it is the address of elements whose number the function alone knows.
  var isUncounted: Bool {
    switch self {
    case .counted(_, let name): name == Self.noCount
    case .optional(let type), .own(let type, _): type.isUncounted
    default: false
    }
  }
}
