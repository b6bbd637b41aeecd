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
  /// The types that have a `T_get_type`, by the words of their names.
  private var gTypes: Set<String> = []
  /// The types that some function frees, inline functions too.
  private var freed: Set<String> = []
  private let hasGObject: Bool
  /// Types of which objects may be taken over, or be destroyed in other ways.
  private var shared: Set<String> = []
  /// Types of which some function makes objects that are the caller's.
  private var owned: Set<String> = []

  /// `exports` says whether the library has a symbol, `provides` whether it or one that it links has it.
  init(_ header: Header, exports: (String) -> Bool, provides: (String) -> Bool) {
    self.header = header
    hasGObject = provides("g_object_unref")
    let functions = header.functions.filter { !$0.isInline && exports($0.symbol) }
    for function in header.functions {
      guard case .function(_, let parameters, _)? = function.type else { continue }
      let words = FunctionVerbs.words(function.name)
      if parameters.count == 1, let object = object(parameters[0]),
        ["free", "unref", "destroy"].contains(words.last)
      {
        freed.insert(object)
      }
      if parameters.isEmpty, words.suffix(2) == ["get", "type"] { gTypes.insert(words.dropLast(2).joined()) }
    }
    for function in functions { note(function) }
    for function in functions {
      guard case .function(let result, let parameters, _)? = function.type else { continue }
      let made = [result] + parameters.compactMap(target)
      for type in made {
        guard let destructor = destructor(ofResult: type, of: function), destructor != Self.unref else { continue }
        if let object = object(type) { owned.insert(object) }
      }
    }
  }

  /// The function that destroys an object that `function` makes for its caller, as its result or behind a parameter;
  /// nil if the object may belong to another owner.
  func destructor(ofResult type: CType, of function: Header.Function) -> String? {
    guard let object = object(type), case .function(_, let parameters, _)? = function.type,
      !parameters.contains(where: { self.object($0) == object }),
      let (rest, _) = FunctionVerbs.split(function.name, verbs: Self.making)
    else { return nil }
    if isGObject(type, rest) { return Self.unref }
    guard !shared.contains(object) else { return nil }
    return destructors[object]?.filter { $0.rest == rest }.min { $0.verb < $1.verb }?.name
  }

  /// Whether a function destroys the object that is its only parameter, of a type whose objects are the caller's.
  func destroys(_ function: Header.Function, _ type: CType) -> Bool {
    guard let object = object(type), owned.contains(object) else { return false }
    return FunctionVerbs.split(function.name, verbs: Self.destroying) != nil
      && !FunctionVerbs.onlyEnds(function.name, destructors[object] ?? [], verbs: Self.destroying)
  }

  private static let unref = "g_object_unref"

  /// Whether a constructor's object is a GObject: its type has a `T_get_type`, no function that frees it, as those of
  /// plain structs have, and begins with the fields of one, as far as the header defines it.
  private func isGObject(_ type: CType, _ rest: [String]) -> Bool {
    guard hasGObject, case .pointer(.named(let name), _) = type, let object = object(type), !freed.contains(object)
    else { return false }
    let words = FunctionVerbs.words(name)
    guard rest.starts(with: words), gTypes.contains(words.joined()) else { return false }
    var parent = CType.named(name)
    // The first field of each is its parent. A GInitiallyUnowned has no owner yet.
    for _ in 0..<16 where parent != .named("GInitiallyUnowned") {
      guard parent != .named("GObject") else { return true }
      guard case .tagged(_, let tag) = header.resolved(parent) else { return false }
      guard let record = header.record(tag) else { return true }
      guard let first = record.fields.first else { return false }
      parent = first.type
    }
    return false
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
