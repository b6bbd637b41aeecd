extension SignatureParser {
  /// The place of a type in a signature, which restricts it.
  enum Place {
    case input, output, inOut, result
    /// The C function's own result, if callbacks settle the promise.
    case returned
    case tail
    /// An element of a union, an array or a slice.
    case field
    /// A field of a struct.
    case member
    /// The target of a reference.
    case target
    /// The value of a promise.
    case held
    case callbackParameter, callbackResult
    /// An `out` or `inout` argument of a callback, behind its address.
    case callbackOutput, callbackInOut
    /// An object that the host allocates: `out(64)`.
    case hostAllocated

    init(_ direction: Parameter.Direction) {
      self =
        switch direction {
        case .input: .input
        case .output: .output
        case .inOut: .inOut
        }
    }

    /// Whether libffi copies it to the stack.
    var isByValue: Bool { ![.output, .inOut, .target, .callbackOutput, .callbackInOut, .hostAllocated].contains(self) }

    /// Returns the expected types if this type is not allowed here; `nil` if it is.
    func refusal(of type: ValueType) -> String? {
      if [.input, .result, .returned, .callbackParameter].contains(self), type.isStructure, type.hasUnion {
        return "'&{...}', the struct's address: libffi cannot pass a union by value"
      }
      if type.isUncounted, self != .input && self != .inOut || type.isOwn {
        return "a count: only an argument, or one that is changed in place with 'inout', can have its elements counted "
          + "by the host alone"
      }
      if let count = type.statedCount, ![.input, .output, .inOut].contains(self) || type.isOwn {
        return "the name of a count, or 'own' with one; C's uint8_t[\(count)] is [u8; \(count)] in a struct or a list"
      }
      if type.content.isInlineText, ![.output, .inOut, .field, .member].contains(self) || type.isOwn {
        return "a cstr: text in an array of char lies in a struct, or behind 'out' or 'inout'"
      }
      switch self {
      case .input:
        if type.returnedCountName != nil { return "'own' with a type that has its own length" }
        if case .own(let type, .some) = type.unwrapped {
          return type.isAddress && type != .cstr
            ? "'own' without '(f)': the function that is called releases the object"
            : "'own' without '(f)': the function that is called frees the argument with the host's allocator"
        }
        return nil
      case .output where type.isOwnedObject, .result where type.isOwnedObject, .returned where type.isOwnedObject:
        return nil
      case .output:
        if let fault = countedAway(type) { return fault }
        return type.isData || type.isOwn || type.isCountedOnce || [.error, .value, .fd].contains(type)
          ? nil
          : "\(Self.data), one of these with 'own', an error, a value or an fd: a type that is written at an address"
      case .hostAllocated:
        switch type {
        case .pointer, .own(.pointer, _): return nil
        default: return "ptr<Name>, own ptr<Name> or own(f) ptr<Name>: an object that the host allocates"
        }
      case .inOut:
        return type.isData || type.isCounted
          ? nil : "\(Self.data): a type that is read and written at an address"
      case .result, .returned:
        if type.unwrapped.isArray { return "a struct with the array in it: C returns no array" }
        if case .promise = type, self == .result { return nil }
        if self == .result, [.error, .value, .fd].contains(type) { return nil }
        if self == .result, type.countName != nil { return nil }
        if let fault = countedAway(type) { return fault }
        return type.isData || type.isOwn && (self == .result || type.returnedCountName == nil)
          ? nil : "\(Self.data), with 'own' if the caller frees it"
      case .tail:
        if let scalar = type.scalar, !scalar.isPassedUnpromoted {
          return "\(scalar.form == .float ? "f64" : "i32 or wider"): C promotes \(type) in a variadic call"
        }
        if case .pointer = type { return nil }
        return type.isScalar || type == .cstr ? nil : "a number, a cstr or a ptr<Name> in a variadic tail"
      case .field, .member:
        return type.isData || self == .member && type.unwrapped.isCounted
          ? nil : Self.data
      case .target:
        return type.isScalar || type.isStructure ? nil : "a scalar or a struct after '&'"
      case .held:
        return type.isData || type == .value ? nil : SignatureParser.heldTypes
      case .callbackParameter:
        switch type.unwrapped {
        case .callback, .promise, .token: return "a ptr<Name>: a callback takes no callbacks, promises and tokens"
        case .fd: return "an fd as an argument or a result of the function: callbacks pass no open files"
        default: break
        }
        return type.isOwn ? "the type without 'own': a callback does not free its arguments" : nil
      case .callbackResult:
        if case .pointer = type.unwrapped { return nil }
        if case .own(_, nil) = type.unwrapped, !type.isOwnedObject, type.returnedCountName == nil { return nil }
        return type.isPlain && !type.isArray ? nil : "scalars, a struct of them, a ptr<Name>, or 'own' text or bytes"
      case .callbackOutput:
        return Place.callbackResult.refusal(of: type)
      case .callbackInOut:
        if case .pointer = type.unwrapped { return nil }
        return type.isPlain && !type.isArray ? nil : "scalars, a struct of them, or a ptr<Name>"
      }
    }

    private static let data = "data: a scalar, text, bytes, a ptr<Name>, a struct, an array or a slice"

    /// Returns the expected type if counted memory is passed to the caller without a function that frees it.
    private func countedAway(_ type: ValueType) -> String? {
      guard case .own(.counted(let counted, let name), nil) = type.unwrapped else { return nil }
      let text = ValueType.own(.counted(counted, by: name), release: "f")
      return "\(text), with the function that frees it"
    }
  }
}

extension ValueType {
  /// Whether it is text in an array of char.
  var isInlineText: Bool { if case .inlineText = self { true } else { false } }

  var isStructure: Bool { if case .structure = self { true } else { false } }
}

extension SignatureParser {
  static let simpleTypes: [String: ValueType] = Dictionary(
    uniqueKeysWithValues: ValueType.simple.map { ($0.description, $0) })
  private static let simpleTypeNames = ValueType.simple.map(\.description).joined(separator: ", ")
  static let typeNames =
    "a type (\(simpleTypeNames), ptr<Name>, {field: type}, [type; count], &[type], &[type; 0], &type, own type, promise<T>, fn(...), "
    + "context, \(ValueType.special.map(\.description).joined(separator: ", ")))"
  static let heldTypes =
    "void or one of \(simpleTypeNames), ptr<Name>, {field: type}, &[type], value: the type of the promise's value"

  static let specialTypes: [String: ValueType] = Dictionary(
    uniqueKeysWithValues: ValueType.special.map { ($0.description, $0) })

  /// The words that types begin with, besides those of `simpleTypes`.
  static let keywords = Set(["own", "promise", "ptr", "fn", "context"]).union(specialTypes.keys)

  /// Suggestions for words of C.
  static let wordsOfC: [String: String] = [
    "int": "i32", "unsigned": "u32", "short": "i16", "long": "i64 on 64-bit Linux",
    "char": "i8, on arm64 u8; a string is a cstr",
    "ssize_t": "isize", "uintptr_t": "usize", "intptr_t": "isize", "string": "cstr, or str with a length",
    "_Bool": "bool", "struct": "{field: type}", "const": "the type alone: it is const without 'own', 'out' or 'inout'",
  ].merging(ScalarType.allCases.map { ($0.cName, $0.rawValue) }) { given, _ in given }

  /// Explanations for types that libffi cannot pass, or promises cannot hold.
  static let impossible: [String: String] = [
    "fd": "no fd in a promise: C has no value for an open file; return it, or store it in an 'out fd'",
    "union":
      "'union(tag) {field: type = 1}' in a struct behind an address, &{...}: libffi cannot pass a union by value",
    "f80": "f64x, which is C's long double",
    "f128": "f64x, which is C's long double: libffi has no other such number; or pass a ptr<Name>",
    "i128": "i64: libffi has no integer of 128 bits; pass a {low: u64, high: i64}, or a ptr<Name>",
    "u128": "u64: libffi has no integer of 128 bits; pass a {low: u64, high: u64}, or a ptr<Name>",
    "complex": "{re: f64, im: f64}, where C has a struct: libffi has complex numbers on few machines only",
  ]
}
