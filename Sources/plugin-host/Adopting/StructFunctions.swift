import PluginRuntime

/// Drafts functions that make structs and that read them: `memcpy` and `memset` of the C library, with the fields and
/// the size that the header states.
///
/// `T_new` makes a struct that some function takes, that none makes, and that a C programmer would declare. It is left
/// out if an address may be of several structs, or of the beginning of a larger one: a function could write beyond the
/// struct. `T_fields` reads a copy of the fields behind any `ptr<T>`.
struct StructFunctions {
  private let header: Header
  private let text: TypeText
  /// Structs of which a function may take several.
  private var several: Set<String> = []
  /// The names of the header's functions.
  private let taken: Set<String>

  init(_ header: Header) {
    self.header = header
    text = TypeText(header: header)
    taken = Set(header.functions.map(\.name))
    for function in header.functions { note(function) }
  }

  /// Returns the types whose sizes are needed, as C writes them.
  static func types(_ header: Header) -> [String] {
    var types: Set<String> = []
    for function in header.functions {
      guard case .function(let result, let parameters, _)? = function.type else { continue }
      for type in [result] + parameters {
        guard case .pointer(let target, _) = header.resolved(type), let written = spelling(target, header) else {
          continue
        }
        types.insert(written)
      }
    }
    return types.sorted()
  }

  /// Returns the functions for the structs of the drafted functions.
  func functions(for drafted: [AdoptionDraft.Function]) -> [AdoptionDraft.Function] {
    let needed = drafted.objects(taken: true)
    let given = drafted.objects(taken: false)
    let file = drafted.first?.file ?? ""
    return needed.union(given).sorted().flatMap { name -> [AdoptionDraft.Function] in
      guard let (type, tag, size) = structure(name) else { return [] }
      let isNew = !given.contains(name) && canBeNew(type, tag)
      let texts = [isNew ? new(name, type, size) : nil, fields(name, type, size)].compactMap(\.self)
      return texts.compactMap { text, symbol, description in
        guard let signature = try? Signature(parsing: text), !taken.contains(signature.name) else { return nil }
        return AdoptionDraft.Function(
          signature: signature, symbol: symbol, description: description, checks: [], file: file)
      }
    }
  }

  /// A struct that the header defines, by its name in `ptr<Name>`.
  private func structure(_ name: String) -> (type: CType, tag: String, size: Int)? {
    guard let type = header.object(named: name), case .tagged(let kind, let tag) = type, kind != "enum",
      let written = Self.spelling(type, header), let size = header.sizes[written], (1...(1 << 16)).contains(size)
    else { return nil }
    return (type, tag, size)
  }

  /// Marks the parameters that take a struct which none of the functions makes, with its size.
  func markUnmade(in drafted: inout [AdoptionDraft.Function]) {
    // Functions that take such a struct give no first one.
    let given = drafted.filter { [$0].objects(taken: true).isDisjoint(with: [$0].objects(taken: false)) }
      .objects(taken: false)
    for index in drafted.indices where taken.contains(drafted[index].signature.name) {
      for parameter in drafted[index].signature.inputs {
        guard case .pointer(let name) = parameter.type, !given.contains(name), let (_, _, size) = structure(name) else {
          continue
        }
        drafted[index].checks.append(
          "\(parameter.name) is a \(name), which no function here makes: memory of \(size) bytes, of "
            + MemoryFunctions.maker)
      }
    }
  }

  private func canBeNew(_ type: CType, _ tag: String) -> Bool {
    // A length beside an address may be that of other memory.
    header.isWhole(tag) && (header.isWholeValue(tag) || !text.isPlain(type)) && !several.contains(tag)
      && !header.isBase(tag) && tag != "sockaddr"
  }

  private typealias Text = (signature: String, symbol: String, description: String)

  private func new(_ name: String, _ type: CType, _ size: Int) -> Text {
    // The library may keep the address of a struct that contains addresses, as that of a struct that it initializes.
    let own = text.isPlain(type) ? "own " : ""
    let made = "\(name)_new(made: out(\(size)) \(own)ptr<\(name)>"
    if let fields = layout(type, size) {
      return (
        "\(made), fields: &\(fields), size: const usize = \(size))", "memcpy", "Makes a struct with these fields."
      )
    }
    return ("\(made), byte: const i32 = 0, size: const usize = \(size))", "memset", "Makes a struct of zeros.")
  }

  private func fields(_ name: String, _ type: CType, _ size: Int) -> Text? {
    layout(type, size).map {
      (
        "\(name)_fields(fields: out \($0), struct: ptr<\(name)>, size: const usize = \(size))", "memcpy",
        "Reads the fields of a struct."
      )
    }
  }

  /// Returns the struct as a signature has it, if its size there is the one in C.
  private func layout(_ type: CType, _ size: Int) -> String? {
    guard let text = try? text.value(type), let signature = try? Signature(parsing: "f(a: &\(text))"),
      case .reference(let target)? = signature.parameters.first?.type, TypeLayout(of: target)?.size == size
    else { return nil }
    return text
  }

  /// Notes the structs that a function may take several of.
  private mutating func note(_ function: Header.Function) {
    guard case .function(_, let types, _)? = function.type else { return }
    let names = types.indices.map { $0 < function.parameters.count ? function.parameters[$0].name ?? "" : "" }
    let counts = CountedParameters(of: function, types.map(header.resolved), names, header)
    for (index, type) in types.enumerated() {
      guard case .pointer(let target, _) = header.resolved(type), case .tagged(_, let tag) = header.resolved(target)
      else { continue }
      let mayCount = [index - 1, index + 1].contains { neighbour in
        guard types.indices.contains(neighbour), case .integer = header.resolved(types[neighbour]),
          !counts.counts.contains(where: { $0.key != index && $0.value == neighbour }),
          !header.isCount(names[neighbour], in: function.name, of: names)
        else { return false }
        return names[neighbour].isEmpty || ParameterNames.mayCount(names[neighbour])
      }
      // A single XGCValues is named values, and a single XkbDeviceChangesRec changes.
      let name = text.name(of: target, or: type)
      let isOne = ParameterNames.isName(names[index], ofOne: name.hasSuffix("Rec") ? String(name.dropLast(3)) : name)
      // A typedef of a pointer looks like that of an array.
      var isArray = index < function.parameters.count && function.parameters[index].isArray
      if case .named = type { isArray = false }
      if isArray || ParameterNames.isPlural(names[index]) && !isOne || mayCount { several.insert(tag) }
    }
  }

  /// Returns the type as C writes it; nil if it has no name.
  private static func spelling(_ type: CType, _ header: Header) -> String? {
    let type = header.resolved(type)
    guard case .tagged(let kind, let tag) = type, kind != "enum", header.record(tag) != nil else { return nil }
    return header.spelling(of: type) ?? header.typedef(of: type)
  }
}
