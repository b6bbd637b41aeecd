/// Finds the structs that callers allocate and functions of the header initialize: `regcomp(regex_t *preg, ...)`.
///
/// The header defines such a struct, so its size is known, and no function returns the address of a new one. A function
/// whose name says that it makes something, and whose parameter is the address of such a struct, writes no more than
/// that size.
struct CallerAllocated {
  /// The struct that a function makes.
  struct Made {
    /// The index of the parameter.
    var index: Int
    /// The type, as C writes it.
    var type: String
    var size: Int
    /// `own(regfree) `, `own `, or nothing if the library may keep the struct's address.
    var ownership: String
    /// The function that destroys the struct, or nil.
    var destructor: String?
  }

  private let header: Header
  private let text: TypeText
  /// The destructors of each type, with the words of their names besides the verb.
  private var destructors: [String: [(rest: [String], verb: Int, name: String)]] = [:]
  /// The types that some function makes, those that an `init` function makes, and those whose values the caller
  /// destroys.
  private var made: Set<String> = []
  private var initialized: Set<String> = []
  private var owned: Set<String> = []

  /// `exports` says whether the library has a symbol.
  init(_ header: Header, exports: (String) -> Bool) {
    self.header = header
    text = TypeText(header: header)
    let functions = header.functions.filter { !$0.isInline && exports($0.symbol) }
    for function in functions {
      guard case .function(_, let types, false)? = function.type, types.count == 1, let type = object(types[0]),
        let (rest, verb) = FunctionVerbs.split(function.name, verbs: Self.ending)
      else { continue }
      destructors[type, default: []].append((rest, verb, function.symbol))
    }
    // If a type has a function that initializes it, functions that open or set it up take an initialized struct.
    for function in functions {
      guard let (index, _) = candidate(function), case .function(_, let types, _)? = function.type,
        FunctionVerbs.split(function.name, verbs: Self.initializing) != nil, let type = object(types[index])
      else { continue }
      initialized.insert(type)
    }
    for function in functions {
      guard let (index, rest) = candidate(function), case .function(_, let types, _)? = function.type,
        let type = object(types[index])
      else { continue }
      made.insert(type)
      if destructor(of: type, rest) != nil { owned.insert(type) }
    }
  }

  /// The types whose sizes are needed, as C writes them.
  var types: [String] { made.sorted() }

  /// Returns the struct that the function makes in its caller's memory, if any.
  func made(by function: Header.Function) -> Made? {
    guard let (index, rest) = candidate(function), case .function(_, let types, _)? = function.type,
      let type = object(types[index]), let size = header.sizes[type], (1...(1 << 20)).contains(size)
    else { return nil }
    if let destructor = destructor(of: type, rest) {
      return Made(index: index, type: type, size: size, ownership: "own(\(destructor)) ", destructor: destructor)
    }
    // Another object among the arguments may keep the address; so may a struct that contains addresses.
    let isAlone = types.count { if case .pointer(_, false) = header.resolved($0) { true } else { false } } == 1
    guard case .pointer(let target, _) = header.resolved(types[index]) else { return nil }
    return Made(
      index: index, type: type, size: size, ownership: isAlone && text.isPlain(target) ? "own " : "", destructor: nil)
  }

  /// Whether a function of the header makes such a struct in memory of its caller.
  func isMade(_ target: CType) -> Bool { header.spelling(of: target).map(made.contains) ?? false }

  /// Whether a function's name says that it makes several structs, while the host allocates one: `mpz_array_init`.
  static func makesSeveral(_ function: Header.Function) -> Bool {
    guard let (rest, _) = FunctionVerbs.split(function.name, verbs: making) else { return false }
    return rest.contains(where: several.contains)
  }

  private static let several: Set<String> = ["array", "vector", "list", "all", "many"]

  /// Whether a function destroys its only argument, of a type whose values belong to the caller.
  func destroys(_ function: Header.Function, _ type: CType) -> Bool {
    guard let type = object(type), owned.contains(type) else { return false }
    return FunctionVerbs.split(function.name, verbs: Self.ending) != nil
      && !FunctionVerbs.onlyEnds(function.name, destructors[type] ?? [], verbs: Self.ending)
  }

  /// Returns the destructor whose words, without its verb, begin the constructor's: the longest, then by its verb.
  private func destructor(of type: String, _ rest: [String]) -> String? {
    let all = destructors[type]?.filter { !$0.rest.isEmpty && rest.starts(with: $0.rest) } ?? []
    return all.min { ($1.rest.count, $0.verb) < ($0.rest.count, $1.verb) }?.name
  }

  /// Finds the parameter that a function makes, if its name says so: the first address of a struct, without arrays.
  private func candidate(_ function: Header.Function) -> (index: Int, rest: [String])? {
    guard case .function(let result, let types, false)? = function.type,
      let (rest, _) = FunctionVerbs.split(function.name, verbs: Self.making),
      !rest.contains(where: Self.several.contains)
    else { return nil }
    let initializes = FunctionVerbs.split(function.name, verbs: Self.initializing) != nil
    for (index, type) in types.enumerated() {
      if !initializes, gives(result, beside: type) { continue }
      guard let object = object(type), initializes || !initialized.contains(object) && !isValue(type) else { continue }
      let declared = index < function.parameters.count ? function.parameters[index] : nil
      let next = index + 1 < function.parameters.count ? function.parameters[index + 1].name ?? "" : ""
      // A struct whose destructor takes nothing else is one: uv_barrier_init(uv_barrier_t *barrier, unsigned count).
      let isEndedAlone = destructors[object]?.contains { $0.rest == rest && !rest.isEmpty } ?? false
      let isCounted =
        index + 1 < types.count && isInteger(types[index + 1]) && Self.isCount(next) && !isEndedAlone
      guard declared?.isArray != true, !isCounted, !ParameterNames.isPlural(declared?.name ?? "") else { continue }
      return (index, rest)
    }
    return nil
  }

  /// Whether a function makes the object whose address it returns, and so reads a struct of another type:
  /// `PyDescr_NewMethod(PyTypeObject *, PyMethodDef *)`.
  private func gives(_ result: CType, beside type: CType) -> Bool {
    guard case .pointer(let made, _) = header.resolved(result), case .pointer(let target, _) = header.resolved(type),
      case .tagged = header.resolved(made)
    else { return false }
    return header.resolved(made) != header.resolved(target)
  }

  /// Whether a struct is a plain value, which a function that creates something else may read: `XCreatePixmapCursor`.
  private func isValue(_ type: CType) -> Bool {
    if case .pointer(let target, _) = header.resolved(type) { text.isPlain(target) } else { false }
  }

  /// Whether a name is that of a number of structs. A size of the struct itself is not:
  /// `deflateInit_(strm, version, stream_size)`.
  private static func isCount(_ name: String) -> Bool {
    ParameterNames.mayCount(name) && !name.lowercased().hasSuffix("size")
  }

  private func isInteger(_ type: CType) -> Bool { if case .integer = header.resolved(type) { true } else { false } }

  /// Returns the C name of the struct or union that a type points to, if the header defines it completely and no
  /// function returns the address of a new one.
  private func object(_ type: CType) -> String? {
    guard case .pointer(let target, false) = header.resolved(type),
      case .tagged(let kind, let tag) = header.resolved(target), kind != "enum", header.isWhole(tag)
    else { return nil }
    // The last typedef of a chain names the struct, and stands for the whole chain.
    return header.spelling(of: target)
  }

  private static let initializing = ["init", "initialize", "initialise"]
  private static let making = initializing + ["create", "open", "new", "setup", "comp"]
  /// Verbs of destructors, in order of preference.
  private static let ending = [
    "free", "destroy", "delete", "clear", "end", "close", "cleanup", "dispose", "release", "fini", "deinit", "uninit",
    "finalize", "term", "done",
  ]
}
