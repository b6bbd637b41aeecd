/// Finds the structs that callers set aside and functions of the header make: `regcomp(regex_t *preg, ...)`.
///
/// The header defines such a struct, so its size is known, and no function gives the address of one. A function whose
/// name says that it makes something, and whose parameter is the address of one, writes no more than that size.
struct CallerMade {
  /// The struct that a function makes.
  struct Made {
    /// The index of the parameter.
    var index: Int
    /// The type, as C writes it.
    var type: String
    var size: Int
    /// `own(regfree) `, `own `, or nothing if the library may keep its address.
    var ownership: String
    /// The function that ends its life, or nil.
    var destructor: String?
  }

  private let header: Header
  private let text: TypeText
  /// The functions that end the life of a struct, by its type, with the rests of their names.
  private var destructors: [String: [(rest: [String], verb: Int, name: String)]] = [:]
  /// The types that some function makes, and those among them whose values are the caller's to end.
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
    // Of a type that some function initializes, others open or set up one that is there already.
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

  /// The struct that the function makes in memory of its caller's; nil if it makes none.
  func made(by function: Header.Function) -> Made? {
    guard let (index, rest) = candidate(function), case .function(_, let types, _)? = function.type,
      let type = object(types[index]), let size = header.sizes[type], (1...(1 << 20)).contains(size)
    else { return nil }
    if let destructor = destructor(of: type, rest) {
      return Made(index: index, type: type, size: size, ownership: "own(\(destructor)) ", destructor: destructor)
    }
    // Another object that the function is given may keep the address; so may a struct with addresses in it.
    let isAlone = types.count { if case .pointer(_, false) = header.resolved($0) { true } else { false } } == 1
    guard case .pointer(let target, _) = header.resolved(types[index]) else { return nil }
    return Made(
      index: index, type: type, size: size, ownership: isAlone && text.isPlain(target) ? "own " : "", destructor: nil)
  }

  /// Whether a function of the header creates such a struct, which callers then know by its address.
  func isMade(_ target: CType) -> Bool { header.spelling(of: target).map(made.contains) ?? false }

  /// Whether a function's name says that it makes several, where the host sets one aside: `mpz_array_init`.
  static func makesSeveral(_ function: Header.Function) -> Bool {
    guard let (rest, _) = FunctionVerbs.split(function.name, verbs: making) else { return false }
    return rest.contains(where: several.contains)
  }

  private static let several: Set<String> = ["array", "vector", "list", "all", "many"]

  /// Whether a function ends the life of its only argument, of a type whose values are the caller's.
  func destroys(_ function: Header.Function, _ type: CType) -> Bool {
    guard let type = object(type), owned.contains(type) else { return false }
    return FunctionVerbs.split(function.name, verbs: Self.ending) != nil
      && !FunctionVerbs.onlyEnds(function.name, destructors[type] ?? [], verbs: Self.ending)
  }

  /// The function whose name has no words but those of the constructor's before `set` and the like.
  private func destructor(of type: String, _ rest: [String]) -> String? {
    let all = destructors[type]?.filter { !$0.rest.isEmpty && rest.starts(with: $0.rest) } ?? []
    return all.min { ($1.rest.count, $0.verb) < ($0.rest.count, $1.verb) }?.name
  }

  /// The parameter that the function creates, judged by its name: the first one of such a type that is not an array.
  private func candidate(_ function: Header.Function) -> (index: Int, rest: [String])? {
    guard case .function(_, let types, false)? = function.type,
      let (rest, _) = FunctionVerbs.split(function.name, verbs: Self.making),
      !rest.contains(where: Self.several.contains)
    else { return nil }
    let initializes = FunctionVerbs.split(function.name, verbs: Self.initializing) != nil
    for (index, type) in types.enumerated() {
      guard let object = object(type), initializes || !initialized.contains(object) && !isValue(type) else { continue }
      let declared = index < function.parameters.count ? function.parameters[index] : nil
      let next = index + 1 < function.parameters.count ? function.parameters[index + 1].name ?? "" : ""
      // One whose destructor takes nothing else is one struct: uv_barrier_init(uv_barrier_t *barrier, unsigned count).
      let isEndedAlone = destructors[object]?.contains { $0.rest == rest && !rest.isEmpty } ?? false
      let isCounted =
        index + 1 < types.count && isInteger(types[index + 1]) && Self.isCount(next) && !isEndedAlone
      guard declared?.isArray != true, !isCounted, !ParameterNames.isPlural(declared?.name ?? "") else { continue }
      return (index, rest)
    }
    return nil
  }

  /// Whether a struct is a plain value, which a function that creates something else may read: `XCreatePixmapCursor`.
  private func isValue(_ type: CType) -> Bool {
    if case .pointer(let target, _) = header.resolved(type) { text.isPlain(target) } else { false }
  }

  /// The size of the struct itself is not a count of structs: `deflateInit_(strm, version, stream_size)`.
  private static func isCount(_ name: String) -> Bool {
    ParameterNames.mayCount(name) && !name.lowercased().hasSuffix("size")
  }

  private func isInteger(_ type: CType) -> Bool { if case .integer = header.resolved(type) { true } else { false } }

  /// The struct or union whose address a type is, if the header defines it whole and gives no addresses of such.
  private func object(_ type: CType) -> String? {
    guard case .pointer(let target, false) = header.resolved(type),
      case .tagged(let kind, let tag) = header.resolved(target), kind != "enum", header.isWhole(tag)
    else { return nil }
    // The last typedef of a chain names the struct, and stands for the whole chain.
    return header.spelling(of: target)
  }

  private static let initializing = ["init", "initialize", "initialise"]
  private static let making = initializing + ["create", "open", "new", "setup", "comp"]
  /// The first is preferred.
  private static let ending = [
    "free", "destroy", "delete", "clear", "end", "close", "cleanup", "dispose", "release", "fini", "deinit", "uninit",
    "finalize", "term", "done",
  ]
}
