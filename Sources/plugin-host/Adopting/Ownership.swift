/// Finds the functions of a header that make objects for their caller, and those that destroy them, by the names that C
/// programmers give to such pairs: `gzopen` and `gzclose`, `xmlNewDoc` and `xmlFreeDoc`.
///
/// A wrong guess would destroy an object twice. So an object is the caller's only if the constructor and the destructor
/// differ by the verb alone, the constructor takes no other object of the type, and no function of the header may take
/// an object over.
struct Ownership {
  private let header: Header
  /// The destructors of each type, with the rests of their names.
  private var destructors: [String: [(rest: [String], verb: Int, name: String)]] = [:]
  /// Types of which objects may be taken over, or be destroyed in other ways.
  private var shared: Set<String> = []
  /// Types of which some function makes objects that are the caller's.
  private var owned: Set<String> = []

  /// `exports` says whether the library has a symbol.
  init(_ header: Header, exports: (String) -> Bool) {
    self.header = header
    let functions = header.functions.filter { !$0.isInline && exports($0.symbol) }
    for function in functions { note(function) }
    for function in functions {
      guard case .function(let result, let parameters, _)? = function.type else { continue }
      let made = [result] + parameters.compactMap(target)
      for type in made where destructor(ofResult: type, of: function) != nil {
        if let object = object(type) { owned.insert(object) }
      }
    }
  }

  /// The function that destroys an object that `function` makes for its caller, as its result or behind a parameter;
  /// nil if the object may belong to another owner.
  func destructor(ofResult type: CType, of function: Header.Function) -> String? {
    guard let object = object(type), !shared.contains(object), case .function(_, let parameters, _)? = function.type,
      !parameters.contains(where: { self.object($0) == object }),
      let (rest, _) = FunctionVerbs.split(function.name, verbs: Self.making)
    else { return nil }
    return destructors[object]?.filter { $0.rest == rest }.min { $0.verb < $1.verb }?.name
  }

  /// Whether a function destroys the object that is its only parameter, of a type whose objects are the caller's.
  func destroys(_ function: Header.Function, _ type: CType) -> Bool {
    guard let object = object(type), owned.contains(object) else { return false }
    return FunctionVerbs.split(function.name, verbs: Self.destroying) != nil
      && !FunctionVerbs.onlyEnds(function.name, destructors[object] ?? [], verbs: Self.destroying)
  }

  private mutating func note(_ function: Header.Function) {
    guard case .function(let result, let parameters, let isVariadic)? = function.type else { return }
    if let (rest, verb) = FunctionVerbs.split(function.name, verbs: Self.destroying) {
      if let only = parameters.first, parameters.count == 1, !isVariadic, let object = object(only), !isAddress(result)
      {
        destructors[object, default: []].append((rest, verb, function.symbol))
      } else {
        shared.formUnion(parameters.compactMap { object($0) ?? target($0).flatMap(object) })
      }
    }
    let words = FunctionVerbs.words(function.name)
    if words.contains(where: { word in Self.taking.contains { word.hasPrefix($0) } }) {
      shared.formUnion(parameters.dropFirst().compactMap { object($0) ?? target($0).flatMap(object) })
    }
  }

  /// The type of the objects whose address a type is, of a kind that only the library knows.
  private func object(_ type: CType) -> String? {
    guard case .pointer(let target, false) = header.resolved(type) else { return nil }
    switch header.resolved(target) {
    case .tagged("struct", let tag): return header.isObject(tag) ? tag : nil
    case .void:
      if CountedParameters.isHandle(target), case .named(let name) = target { return name }
      return nil
    default: return nil
    }
  }

  private func target(_ type: CType) -> CType? {
    if case .pointer(let target, false) = header.resolved(type) { target } else { nil }
  }

  private func isAddress(_ type: CType) -> Bool {
    if case .pointer = header.resolved(type) { true } else { false }
  }

  private static let making = ["new", "create", "open", "alloc", "init"]
  /// The first is preferred.
  private static let destroying = [
    "free", "destroy", "delete", "dispose", "unref", "release", "cleanup", "close", "fini",
  ]
  /// Verbs of functions after which another object, or the library, may have the object.
  private static let taking = [
    "add", "append", "insert", "put", "push", "prepend", "attach", "link", "adopt", "take", "give", "steal", "assign",
    "set", "replace", "bind", "register", "join", "merge", "keep", "swap", "move",
  ]
}
