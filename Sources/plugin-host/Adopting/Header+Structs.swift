/// The relations between the structs and the functions of a header.
extension Header {
  /// Whether the values of a struct are the library's objects, known by their address: the struct is not defined, some
  /// function returns its address, or it is larger than its definition.
  func isObject(_ tag: String) -> Bool {
    given.contains(tag) || !isWholeValue(tag)
  }

  /// Whether a struct is defined, and no field suggests that more data follow it.
  func isWholeValue(_ tag: String) -> Bool {
    guard let record = record(tag), !hasOpenEnd(record) else { return false }
    return !record.fields.contains { field in
      let words = ParameterNames.words(field.name)
      return words.contains { ["length", "len", "count", "nelems", "nitems"].contains($0) }
    }
  }

  /// Whether each function that returns an object of the type takes one too: callers pass NULL to make the first one.
  func isFirstMadeFromNothing(_ type: CType) -> Bool {
    if case .tagged("struct", let tag) = resolved(type) { given.contains(tag) && !born.contains(tag) } else { false }
  }

  /// Whether other structs of the header begin with the fields of this one: its address may be that of any of them.
  func isBase(_ tag: String) -> Bool {
    guard let fields = record(tag)?.fields, let first = fields.first else { return false }
    return records.contains { other, record in
      guard other != tag, record.isComplete, let own = record.fields.first else { return false }
      if case .tagged(_, tag) = resolved(own.type) { return true }
      return record.fields.count >= fields.count && fields.count > 1 && own.name == first.name
        && zip(record.fields, fields).allSatisfy { $0.name == $1.name && resolved($0.type) == resolved($1.type) }
    }
  }

  /// Returns the type that `Name` in `ptr<Name>` stands for: a struct, by its tag or a typedef, or the target of a
  /// typedef that is a pointer.
  func object(named name: String) -> CType? {
    let tagged = records[name].map { CType.tagged($0.isUnion ? "union" : "struct", name: name) }
    let type = typedefs[name].map(resolved) ?? tagged
    if case .pointer(let target, _)? = type { return resolved(target) }
    return type
  }

  /// Whether a struct is a value to its library: a function returns one by value, as `xcb_depth_visuals_iterator` does,
  /// and none returns the address of one.
  func isReturned(_ type: CType) -> Bool {
    if case .tagged(_, let tag) = resolved(type) { returned.contains(tag) && !isObject(tag) } else { false }
  }

  /// Whether a struct or union is defined, ends where its definition does, and each function that returns the address
  /// of one takes one too.
  func isWhole(_ tag: String) -> Bool {
    guard let record = record(tag), !born.contains(tag) else { return false }
    return !record.fields.isEmpty && !hasOpenEnd(record)
  }

  /// Whether the last field of a struct is an array that may have more elements than it declares.
  private func hasOpenEnd(_ record: Record) -> Bool {
    if case .array(_, let count)? = record.fields.last.map({ resolved($0.type) }) { count ?? 0 < 2 } else { false }
  }

  /// Returns one name for all typedefs of a struct: `ZSTD_DCtx` for `ZSTD_DStream`, which is a typedef of it. So a call
  /// takes an object that another function names differently.
  func firstName(of typedef: String) -> String {
    guard case .tagged("struct", let tag) = resolved(.named(typedef)) else { return typedef }
    if let first = typedefsOfTags[tag] { return first }
    var name = typedef
    for _ in 0..<64 {
      guard case .named(let next)? = typedefs[name] else { break }
      name = next
    }
    return name
  }

  /// Returns the alphabetically first typedef of a struct without a tag.
  func typedef(of type: CType) -> String? { typedefs.filter { $0.value == type }.keys.min() }

  /// Returns the last name in a chain of typedefs, or the tag, as C writes it: `z_stream`, `struct tm`. Nil if the type
  /// has neither.
  func spelling(of type: CType) -> String? {
    var type = type
    var name: String?
    for _ in 0..<64 {
      switch type {
      case .named(let next):
        name = next
        guard let meaning = typedefs[next] else { return name }
        type = meaning
      case .tagged(let kind, let tag): return tag.hasPrefix("#") || tag.hasPrefix("(") ? name : "\(kind) \(tag)"
      default: return name
      }
    }
    return name
  }

  /// Whether a type is size_t or a typedef of it.
  func isSize(_ type: CType) -> Bool {
    var type = type
    for _ in 0..<64 {
      guard case .named(let name) = type, name != "size_t" else { break }
      type = typedefs[name] ?? .void
    }
    return type == .named("size_t")
  }
}
