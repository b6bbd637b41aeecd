/// A parsed signature: the name, parameters and results of a plugin's function.
///
///     let signature = try Signature(parsing: "crc32(data: bytes, seed: u32 = 0) -> u32")
///     signature.parameters[1].defaultValue    // .uint(0)
///     signature.canonical                     // "(bytes, u32) -> u32"
///     signature.cPrototype                    // "uint32_t crc32(promise_bytes_t data, uint32_t seed);"
///
/// `docs/signatures.md` has the grammar. Equal signatures have the same meaning and equal descriptions.
public struct Signature: Sendable, Equatable {
  /// The typed `...` of a variadic function.
  public struct Tail: Sendable, Hashable {
    /// The name by which the arguments can be passed as an array; `nil` if they are positional only.
    public let name: String?
    /// The accepted types: an argument is passed as the first type that accepts it.
    public let types: [ValueType]
    /// A description in one line.
    public let note: String?

    /// The parameter of a list of all its arguments. Without a name, the tail's is `...`.
    public var parameter: Parameter { Parameter(name: name ?? "...", type: .slice(.value), note: note) }
  }

  /// The completion of a function that takes callbacks and whose result is a promise:
  /// `-> promise<T> by done returns i32`.
  public struct Completion: Sendable, Hashable {
    /// The callback parameters that settle the promise.
    public let callbacks: [String]
    /// The C function's own result; `nil` for void.
    public let returns: ValueType?
  }

  /// The function's name.
  public let name: String
  /// The parameters, in C's order. Callers pass arguments only for some of them: see `inputs`.
  public let parameters: [Parameter]
  /// The variadic tail, if there is one.
  public let tail: Tail?
  /// The index of the first parameter that stands in the place of C's `...`; `nil` if none does.
  public let variadicIndex: Int?
  /// The type of the result; `nil` for void.
  public let result: ValueType?
  /// A description of the result in one line.
  public let resultNote: String?
  /// The callbacks that settle the resulting promise, if the C function does not return it.
  public let completion: Completion?
  /// The rule by which the function reports failure; `nil` if it cannot fail.
  public let failure: FailureRule?
  /// Details of the rule: success codes, the function that returns the message.
  public let failureDetails: FailureDetails
  /// The `out` parameter whose number of written elements is the result.
  public let countedByResult: String?
  /// The indices in `parameters` for which a call passes arguments. Left out are `out` parameters, constants, counts of
  /// other arguments, callbacks that settle the promise, and contexts of callbacks.
  public let inputIndices: [Int]
  /// The parameters for which a call passes arguments, in order.
  public let inputs: [Parameter]

  init(
    name: String, parameters: [Parameter], tail: Tail? = nil, variadicIndex: Int? = nil, result: ValueType?,
    resultNote: String? = nil,
    completion: Completion? = nil, failure: FailureRule? = nil, failureDetails: FailureDetails = FailureDetails(),
    countedByResult: String? = nil
  ) {
    self.name = name
    self.parameters = parameters
    self.tail = tail
    self.variadicIndex = variadicIndex
    self.result = result
    self.resultNote = resultNote
    self.completion = completion
    self.failure = failure
    self.failureDetails = failureDetails
    self.countedByResult = countedByResult
    let counts = Set(parameters.compactMap { $0.direction == .output ? nil : $0.type.countName })
    inputIndices = parameters.indices.filter { index in
      let parameter = parameters[index]
      if case .context = parameter.type { return false }
      if parameter.isConstant || parameter.isFieldsAlone { return false }
      if completion?.callbacks.contains(parameter.name) ?? false { return false }
      return parameter.direction != .output && !counts.contains(parameter.name)
    }
    inputs = inputIndices.count == parameters.count ? parameters : inputIndices.map { parameters[$0] }
  }

  /// Parses a signature.
  ///
  /// - Throws: `SignatureError` with the column of the first mistake.
  public init(parsing text: String) throws(SignatureError) {
    var parser = try SignatureParser(text)
    self = try parser.parse()
  }
}

extension Signature {
  /// The parameters that a call fills in addition to the result: `out`, `inout` and `moving`, in order. Left out are
  /// `out` counts of memory that the function returns, and counts of elements whose address it moves: the elements
  /// imply both.
  public var outputs: [Parameter] {
    let counts = returnedCounts
    let moved = Set(parameters.filter(\.isMoved).compactMap(\.type.countName))
    return parameters.filter { parameter in
      if parameter.counted != nil { return false }
      return switch parameter.direction {
      case .input: parameter.isMoved
      case .output: !counts.contains(parameter.name) && !moved.contains(parameter.name)
      case .inOut: !moved.contains(parameter.name)
      }
    }
  }

  /// Returns the parameters of arguments with these names. Arguments without a name are assigned, in order, to the
  /// parameters that no name selects. `nil` for the tail, and for surplus arguments.
  package func parameters(ofNames names: [String?]) -> [Parameter?] {
    var free = inputs.filter { !names.contains($0.name) }[...]
    return names.map { name in name == nil ? free.popFirst() : inputs.first { $0.name == name } }
  }

  /// The name that stands for the function's return value as a count of elements: `out own(free) bytes[result]`.
  static let countOfResult = "result"

  /// The names of the parameters that count memory which the function returns: `-> own(free) bytes[n]`.
  var returnedCounts: Set<String> {
    Set(
      parameters.compactMap(\.type.returnedCountName)
        + [result?.returnedCountName, result?.countName].compactMap(\.self))
  }

  /// Whether the C function returns a promise_status_t and stores its result and its error through out parameters.
  public var fails: Bool { failure == .status }

  /// The C function's result, if that is not a promise_status_t; `nil` for void.
  public var returned: ValueType? { completion.map(\.returns) ?? result }

  /// The type of a call's "result"; `nil` if the C result is only an error code, which is 0 on success.
  public var yielded: ValueType? { failure == .nonzero && completion == nil ? nil : result }
}

/// A parameter of a function.
public struct Parameter: Sendable, Equatable {
  /// The direction of a parameter.
  public enum Direction: String, Sendable, Hashable {
    /// Passed to the function.
    case input
    /// `out`: stored by the function through an address.
    case output
    /// `inout`: passed to the function and updated by it, through an address.
    case inOut
  }

  /// The name by which an argument can be passed.
  public let name: String
  /// The type of the value.
  public let type: ValueType
  /// The direction of the value.
  public internal(set) var direction = Direction.input
  /// The size in bytes of the object that the host allocates for an `out` parameter, and whose address the function
  /// receives: `out(64) ptr<Name>`; `nil` for any other parameter.
  public internal(set) var allocatedSize: Int?
  /// The names of the values of an integer; `nil` without names.
  public internal(set) var constants: ConstantSet?
  /// The value for a call that omits the argument; `nil` if the argument is required. `.void` is NULL.
  public internal(set) var defaultValue: PluginValue?
  /// Whether the function receives `defaultValue` in every call, and callers pass no argument: `const usize = 48`.
  public internal(set) var isConstant = false
  /// Whether the function keeps the address of the argument, which lives as long as the objects of the call:
  /// `keep cstr`.
  public internal(set) var isKept = false
  /// Whether the function is given the address of the elements' address, and moves that behind the elements which it
  /// has read or written: `moving bytes[n]`.
  public internal(set) var isMoved = false
  /// The struct at whose address the function finds fields that are parameters of their own, `at {size: usize}`; `nil`
  /// for any other parameter.
  public internal(set) var fields: StructType?
  /// The place of a parameter that is a field: C's function has no such parameter.
  public internal(set) var place: FieldPlace?
  /// The `out` parameter of whose elements the function stores the written number here: `out usize counts dst`.
  public internal(set) var counted: String?
  /// A description in one line.
  public internal(set) var note: String?
}

extension Parameter {
  /// The value for a call that omits the argument: the default, or NULL for a `T?`; `nil` if the argument is required.
  public var fallback: PluginValue? {
    defaultValue ?? (type.isOptional ? .void : nil)
  }
}

extension ValueType {
  /// The name of the parameter with the count of a counted type.
  var countName: String? {
    if case .counted(_, let name) = unwrapped, name != Self.noCount, statedCount == nil { return name }
    return nil
  }

  /// The name of the parameter with the count of memory that the function passes to the caller: `own(free) bytes[n]`.
  var returnedCountName: String? {
    if case .own(let type, _) = unwrapped { return type.countName }
    return nil
  }
}
