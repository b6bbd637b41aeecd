/// What a plugin's function is called, takes and gives: the text of a signature, parsed.
///
///     let signature = try Signature(parsing: "crc32(data: bytes, seed: u32 = 0) -> u32")
///     signature.parameters[1].defaultValue    // .uint(0)
///     signature.canonical                     // "(bytes, u32) -> u32"
///     signature.cPrototype                    // "uint32_t crc32(promise_bytes_t data, uint32_t seed);"
///
/// `docs/signatures.md` is the grammar. Two signatures are equal if they mean the same; `description` is then equal
/// too.
public struct Signature: Sendable, Equatable {
  /// The typed `...` of a variadic function.
  public struct Tail: Sendable, Hashable {
    /// By which the arguments can be given as an array; `nil` if only by position.
    public let name: String?
    /// The types that an argument may have: it is passed as the first that takes it.
    public let types: [ValueType]
    /// One line for people.
    public let note: String?
  }

  /// What makes a promise of a function that takes callbacks: `-> promise<T> by done returns i32`.
  public struct Completion: Sendable, Hashable {
    /// The callback parameters that settle the promise.
    public let callbacks: [String]
    /// What the C function itself returns; `nil` for nothing.
    public let returns: ValueType?
  }

  /// The function's name.
  public let name: String
  /// What it takes, in C's order. Not all of it is given by callers: see `inputs`.
  public let parameters: [Parameter]
  /// What follows the parameters, of a variadic function.
  public let tail: Tail?
  /// The type of the result; `nil` if there is none.
  public let result: ValueType?
  /// One line for people about the result.
  public let resultNote: String?
  /// The callbacks that settle the promise which is the result, if the C function returns none itself.
  public let completion: Completion?
  /// How the function says that it failed; `nil` if it cannot.
  public let failure: FailureRule?
  /// The `out` parameter of which the result says how many elements were written.
  public let countedByResult: String?
  /// Where in `parameters` those stand that a call gives arguments for: neither pure results, nor counts of slices, nor
  /// contexts of callbacks.
  public let inputIndices: [Int]

  init(
    name: String, parameters: [Parameter], tail: Tail? = nil, result: ValueType?, resultNote: String? = nil,
    completion: Completion? = nil, failure: FailureRule? = nil, countedByResult: String? = nil
  ) {
    self.name = name
    self.parameters = parameters
    self.tail = tail
    self.result = result
    self.resultNote = resultNote
    self.completion = completion
    self.failure = failure
    self.countedByResult = countedByResult
    let counts = Set(parameters.compactMap { $0.direction == .output ? nil : $0.type.countName })
    inputIndices = parameters.indices.filter { index in
      let parameter = parameters[index]
      if case .context = parameter.type { return false }
      if completion?.callbacks.contains(parameter.name) ?? false { return false }
      return parameter.direction != .output && !counts.contains(parameter.name)
    }
  }

  /// Parses the text of a signature.
  public init(parsing text: String) throws(SignatureError) {
    var parser = try SignatureParser(text)
    self = try parser.parse()
  }
}

extension Signature {
  /// What a call gives arguments for, in order.
  public var inputs: [Parameter] { inputIndices.map { parameters[$0] } }

  /// What a call gives besides the result: its `out` and `inout` parameters, in order.
  public var outputs: [Parameter] { parameters.filter { $0.direction != .input } }

  /// Whether the C function returns a promise_status_t and takes out parameters for its result and its error.
  public var fails: Bool { failure == .status }

  /// What the C function returns, where that is not a promise_status_t; `nil` for nothing.
  public var returned: ValueType? { completion.map(\.returns) ?? result }

  /// What a call gives as "result": nothing where the result is only a code that is 0 by then.
  public var yielded: ValueType? { failure == .nonzero && completion == nil ? nil : result }
}

/// A parameter of a function.
public struct Parameter: Sendable, Equatable {
  /// Which way the value goes.
  public enum Direction: String, Sendable, Hashable {
    /// To the function.
    case input
    /// `out`: from it, by an address that it is given.
    case output
    /// `inout`: there and back, by an address.
    case inOut
  }

  /// By which an argument can be given.
  public let name: String
  /// What it takes, or gives.
  public let type: ValueType
  /// Which way the value goes.
  public let direction: Direction
  /// What is passed when the call leaves the argument out; `nil` if it must not. `.void` is NULL.
  public let defaultValue: PluginValue?
  /// One line for people.
  public let note: String?

  init(
    name: String, type: ValueType, direction: Direction = .input, defaultValue: PluginValue? = nil,
    note: String? = nil
  ) {
    self.name = name
    self.type = type
    self.direction = direction
    self.defaultValue = defaultValue
    self.note = note
  }
}

extension Parameter {
  /// What is passed when the call leaves the argument out: the default, or NULL for a `T?`; `nil` if it must not.
  public var fallback: PluginValue? {
    if case .optional = type { return defaultValue ?? .void }
    return defaultValue
  }
}

extension ValueType {
  /// The parameter that has the count, of a counted type.
  var countName: String? {
    if case .counted(_, let name) = unwrapped { return name }
    return nil
  }
}
