/// Finds the functions of a header that make objects for their caller, and those that destroy them, by the names that C
/// programmers give to such pairs: `gzopen` and `gzclose`, `xmlNewDoc` and `xmlFreeDoc`.
///
/// A wrong guess would destroy an object twice. So an object belongs to the caller only if the constructor and the
/// destructor differ by the verb alone, the constructor takes no other object of the type, and no function of the
/// header may take ownership of an object.
struct Ownership {
  private let header: Header
  /// The destructors of each type, with the words of their names besides the verb.
  private var destructors: [String: [(rest: [String], verb: Int, name: String)]] = [:]
  /// The types that have a `T_get_type`, by the words of their names.
  private var gTypes: Set<String> = []
  /// The types that some function frees, be it inline or not.
  private var freed: Set<String> = []
  private let hasGObject: Bool
  /// The types of objects that some function may take ownership of, or destroy in another way.
  private var shared: Set<String> = []
  /// The types of objects that some function makes for its caller.
  private var owned: Set<String> = []
  /// The types whose objects a function frees for good, with its name. A call of the function releases a handle, also
  /// where the object may belong to another owner by then.
  private var releasing: [String: String] = [:]

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
    noteReleases(functions)
    for function in functions {
      guard case .function(let result, let parameters, _)? = function.type else { continue }
      let made = [result] + parameters.compactMap(target)
      for type in made {
        guard let destructor = destructor(ofResult: type, of: function), destructor != Self.unref else { continue }
        if let object = object(type) { owned.insert(object) }
      }
    }
  }

  /// Returns the function that destroys an object that `function` makes for its caller, as its result or behind a
  /// parameter; nil if the object may belong to another owner.
  func destructor(ofResult type: CType, of function: Header.Function) -> String? {
    guard let object = object(type), case .function(_, let parameters, _)? = function.type,
      !parameters.contains(where: { self.object($0) == object }),
      let (rest, _) = FunctionVerbs.split(function.name, verbs: Self.making)
    else { return nil }
    if isGObject(type, rest) { return Self.unref }
    guard !shared.contains(object) else { return nil }
    return destructors[object]?.filter { $0.rest == rest }.min { $0.verb < $1.verb }?.name
  }

  /// Returns the function that releases an object which `function` makes, as its result or behind a parameter, though
  /// the object may belong to another owner; nil if no function frees it for good.
  func release(ofResult type: CType, of function: Header.Function) -> String? {
    guard let object = object(type), case .function(_, let parameters, _)? = function.type,
      !parameters.contains(where: { self.object($0) == object }),
      FunctionVerbs.split(function.name, verbs: Self.making) != nil
    else { return nil }
    return releasing[object]
  }

  /// Whether a function destroys its only argument, of a type whose objects belong to the caller, or that it
  /// frees for good.
  func destroys(_ function: Header.Function, _ type: CType) -> Bool {
    guard let object = object(type) else { return false }
    guard owned.contains(object) else { return releasing[object] == function.symbol }
    return FunctionVerbs.split(function.name, verbs: Self.destroying) != nil
      && !FunctionVerbs.onlyEnds(function.name, destructors[object] ?? [], verbs: Self.destroying)
  }

  private static let unref = "g_object_unref"

  /// Whether a constructor's object is a GObject: its type has a `T_get_type` and, unlike plain structs, no function
  /// that frees it. If the header defines the struct, its first field leads to GObject.
  private func isGObject(_ type: CType, _ rest: [String]) -> Bool {
    guard hasGObject, case .pointer(.named(let name), _) = type, let object = object(type), !freed.contains(object)
    else { return false }
    let words = FunctionVerbs.words(name)
    guard rest.starts(with: words), gTypes.contains(words.joined()) else { return false }
    var parent = CType.named(name)
    // The first field of each struct is its parent. A new GInitiallyUnowned has a floating reference, not the caller's.
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

  /// Notes the functions that free an object for good: called free, destroy, delete or dispose, with the object as
  /// their only argument. An object that is counted, or that a function initializes once more, may live on.
  private mutating func noteReleases(_ functions: [Header.Function]) {
    var living: Set<String> = []
    for function in functions {
      guard case .function(_, let parameters, let isVariadic)? = function.type, let first = parameters.first,
        let object = object(first)
      else { continue }
      let words = FunctionVerbs.words(function.name)
      if parameters.count == 1, !isVariadic, words.contains(where: Self.freeing.contains) {
        // Two such functions may do different things.
        if releasing.updateValue(function.symbol, forKey: object) != nil { living.insert(object) }
      } else if words.contains(where: { Self.reviving.contains($0) || $0.hasPrefix("ref") }) {
        living.insert(object)
      }
    }
    for object in living { releasing[object] = nil }
  }

  /// Returns the name of the library's object type that a type points to; nil if it points to anything else.
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
  /// Verbs of destructors, in order of preference.
  private static let destroying = [
    "free", "destroy", "delete", "dispose", "unref", "release", "cleanup", "close", "fini",
  ]
  /// Verbs of functions that free an object for good.
  private static let freeing: Set<String> = ["free", "destroy", "delete", "dispose"]
  /// Verbs of functions that count the references to an object, or make an object anew in its place.
  private static let reviving: Set<String> = [
    "incref", "addref", "retain", "acquire", "hold", "grab", "dup", "share", "init", "reinit", "initialize", "reset",
    "reuse", "open", "up",
  ]
  /// Verbs of functions that may pass ownership of the object to another object, or to the library.
  private static let taking = [
    "add", "append", "insert", "put", "push", "prepend", "attach", "link", "adopt", "take", "give", "steal", "assign",
    "set", "replace", "bind", "register", "join", "merge", "keep", "swap", "move",
  ]
}
