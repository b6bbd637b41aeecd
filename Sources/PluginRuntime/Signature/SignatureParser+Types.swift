extension SignatureParser {
  /// Parses a type, and checks that it is allowed at this place.
  mutating func type(_ place: Place) throws(SignatureError) -> ValueType {
    let column = cursor.next.column
    guard depth < SignatureLimits.nesting else {
      throw cursor.error(expected: "types nested at most \(SignatureLimits.nesting) deep")
    }
    depth += 1
    defer { depth -= 1 }
    var type = try base(place)
    if cursor.next.token == .symbol("?") {
      guard place != .tail, place != .target, type.canBeOptional else {
        throw cursor.error(expected: "no '?' after \(type)")
      }
      cursor.advance()
      type = .optional(type)
    }
    if let expected = place.refusal(of: type) {
      throw cursor.error(at: column, found: "'\(type)'", expected: expected)
    }
    let limit = place.isByValue ? SignatureLimits.sizeByValue : SignatureLimits.size
    guard let layout = TypeLayout(of: type), layout.size <= limit else {
      throw cursor.error(
        at: column, found: "a type of more than \(limit) bytes", expected: "a smaller one, or a ptr<Name>")
    }
    return type
  }

  private mutating func base(_ place: Place) throws(SignatureError) -> ValueType {
    switch cursor.next.token {
    case .symbol("{"): return try structure()
    case .symbol("["): return try array()
    case .symbol("&"): return try reference()
    case .word(let word):
      if let type = Self.simpleTypes[word] {
        cursor.advance()
        return try counted(type)
      }
      return try composite(word, place)
    default: throw cursor.error(expected: place == .held ? Self.heldTypes : Self.typeNames)
    }
  }

  /// Parses a type that begins with a keyword.
  private mutating func composite(_ word: String, _ place: Place) throws(SignatureError) -> ValueType {
    guard Self.keywords.contains(word), place != .held || word == "value" || word == "ptr" else {
      if let reason = Self.impossible[word] { throw cursor.error(expected: reason) }
      let known = Self.keywords.union(Self.simpleTypes.keys)
      let hint = Self.wordsOfC[word].map { "; C's \(word) is \($0)" } ?? Suggestion.near(word, among: known.sorted())
      throw cursor.error(expected: (place == .held ? Self.heldTypes : Self.typeNames) + hint)
    }
    cursor.advance()
    switch word {
    case "own": return try owned()
    case "promise":
      try cursor.require("<", or: " after 'promise'")
      let held: ValueType? = cursor.skip(word: "void") ? nil : try type(.held)
      try cursor.require(">", or: " after the promise's type")
      return .promise(held)
    case "ptr": return try pointer()
    case "fn": return .callback(try callback())
    case "context":
      guard cursor.skip("<") else { return .context(of: nil) }
      let name = try identifier("the name of the callback whose context it is")
      try cursor.require(">", or: " after the callback's name")
      return .context(of: name)
    default: return Self.specialTypes[word] ?? .value
    }
  }

  /// Parses a pointer, after its `ptr`.
  private mutating func pointer() throws(SignatureError) -> ValueType {
    try cursor.require("<", or: " after 'ptr', and a name for the type that it points to")
    let name = try identifier("a name for the type that it points to")
    try cursor.require(">", or: " after the pointer's name")
    return .pointer(name)
  }

  private mutating func owned() throws(SignatureError) -> ValueType {
    var release: String?
    if cursor.skip("(") {
      let column = cursor.next.column
      let name = try identifier("the function that frees it")
      releases.append((name, column))
      release = name
      try cursor.require(")", or: " after the name of the function that frees it")
    }
    guard case .word(let word) = cursor.next.token, let type = Self.simpleTypes[word],
      [.str, .bytes, .cstr].contains(type)
    else {
      if cursor.skip("&") { return .own(try slice(), release: release) }
      if cursor.skip(word: "ptr") { return .own(try pointer(), release: release) }
      throw cursor.error(expected: "'str' or 'bytes', 'cstr', a slice or a ptr<Name> after 'own'")
    }
    cursor.advance()
    return .own(try counted(type), release: release)
  }

  /// Parses the `[n]` of `bytes[n]` and `str[n]`, `[*]`, or the `[16]` of `bytes[16]` and `str[16]`, if it is next.
  private mutating func counted(_ type: ValueType) throws(SignatureError) -> ValueType {
    guard type == .str || type == .bytes, cursor.skip("[") else { return type }
    if let size = try size(of: type) {
      return type == .str ? .inlineText(size: size) : .counted(.bytes, by: String(size))
    }
    let name =
      cursor.skip(ValueType.noCount)
      ? ValueType.noCount : try identifier("the parameter that has the length, or *: only the function knows it")
    try cursor.require("]", or: " after the parameter that has the length")
    return .counted(type, by: name)
  }

  /// Parses the size of an array of char or of bytes, and the bracket behind it, if a number is next.
  private mutating func size(of type: ValueType) throws(SignatureError) -> Int? {
    guard case .word(let word) = cursor.next.token, word.first?.isNumber ?? false else { return nil }
    guard let size = Int(word), size > (type == .str ? 1 : 0), size <= SignatureLimits.size, String(size) == word else {
      throw cursor.error(
        expected: type == .str
          ? "the size of an array of char, from 2: text and the NUL that ends it"
          : "a number of bytes, from 1 to \(SignatureLimits.size)")
    }
    cursor.advance()
    try cursor.require("]", or: " after the size of the array")
    return size
  }

  private mutating func structure() throws(SignatureError) -> ValueType {
    cursor.advance()
    if cursor.next.token == .symbol("}") { throw cursor.error(expected: "a field: C has no empty struct") }
    var fields: [StructType.Field] = []
    var counted: [(field: StructType.Field, column: Int)] = []
    repeat {
      let name = try fieldName(among: fields)
      let isUnion = cursor.skip(word: "union")
      let column = cursor.next.column
      let field = StructType.Field(name: name, type: isUnion ? try union(among: fields) : try type(.member))
      fields.append(field)
      if field.type.countName != nil { counted.append((field, column)) }
      if cursor.next.token == .symbol(":") {
        throw cursor.error(expected: "',' or '}': libffi cannot pass a struct with bit-fields; pass a ptr<Name>")
      }
    } while cursor.skip(",")
    try cursor.require("}", or: " or ',' after the field")
    let structure = StructType(fields: fields)
    for (field, column) in counted where structure.count(of: field) == nil {
      throw cursor.error(
        at: column, found: "'\(field.type)'", expected: "the name of an integer among the struct's fields as its count")
    }
    return .structure(structure)
  }

  private mutating func array() throws(SignatureError) -> ValueType {
    cursor.advance()
    let element = try type(.field)
    try cursor.require(";", or: " and a count after the array's element")
    guard case .word(let word) = cursor.next.token,
      word.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let count = Int(word), count > 0
    else { throw cursor.error(expected: "a count of elements, from 1") }
    cursor.advance()
    try cursor.require("]", or: " after the array's count")
    return .array(element, count: count)
  }

  /// Parses the rest after '&': a slice, or a reference.
  private mutating func reference() throws(SignatureError) -> ValueType {
    cursor.advance()
    return cursor.next.token == .symbol("[") ? try slice() : .reference(try type(.target))
  }

  private mutating func slice() throws(SignatureError) -> ValueType {
    try cursor.require("[", or: " after '&', and the type of the elements")
    let column = cursor.next.column
    let element = try type(.field)
    var count: String?
    if cursor.skip(";") {
      if cursor.skip(word: "0") {
        try cursor.require("]", or: " after the zero that ends the array")
        return try terminated(element, column)
      }
      count =
        cursor.skip(ValueType.noCount)
        ? ValueType.noCount
        : try identifier(
          "the parameter that has the count, 0: the array ends with NULL, or a zero; or *: only the function knows it")
    }
    try cursor.require("]", or: count == nil ? ", or ';' and the parameter that has the count" : "")
    return count.map { .counted(.slice(element), by: $0) } ?? .slice(element)
  }

  /// Makes the type of an array that ends with a NULL, or a zero.
  private func terminated(_ element: ValueType, _ column: Int) throws(SignatureError) -> ValueType {
    guard element.isInteger || element.isAddress, !element.isOptional else {
      throw cursor.error(
        at: column, found: "'\(element)'", expected: "a cstr, a ptr<Name> or an integer, which NULL or 0 ends")
    }
    return .terminated(element)
  }
}
