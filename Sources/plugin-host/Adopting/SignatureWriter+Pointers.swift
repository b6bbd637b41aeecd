import PluginRuntime

extension SignatureWriter {
  /// Writes a parameter that is an address. It is `out` only if something states the size: a function could write
  /// beyond a guessed one.
  mutating func pointer(_ index: Int, to target: CType, _ isConst: Bool) throws(Unsuitable) -> String {
    if isConst, isInRange(types[index], of: types, names) {
      return try memory(index, to: target, "'\(names[index])' may be an address in the data of other arguments")
    }
    switch header.resolved(target) {
    case .function: return try callback(index)
    case .void: return try object(index, target, isConst)
    case .char where isConst && !isArray(index): return try string(index)
    case .bool, .char, .integer, .float, .tagged("enum", _): return try scalars(index, target, isConst)
    case .pointer(let inner, let isConstInner): return try address(index, of: inner, isConst: isConst, isConstInner)
    case .tagged: return try structure(index, target, isConst)
    case .array, .named, .unknown: return optional(index, "ptr<\(text.name(of: target, or: types[index]))>")
    }
  }

  /// Whether a type is that of several addresses in the same data, one of which ends the data: `const char *first,
  /// const char *last`. With a copy for each, C would run from one copy into other memory.
  func isInRange(_ type: CType, of types: [CType], _ names: [String?]) -> Bool {
    let type = header.resolved(type)
    guard CountedParameters.isConst(type), CountedParameters.isData(type, header) else { return false }
    let element = CountedParameters.element(type, header)
    let same = types.indices.filter { index in
      let other = header.resolved(types[index])
      return CountedParameters.isConst(other) && CountedParameters.element(other, header) == element
    }
    let others = same.compactMap { names[$0] }
    return same.dropFirst().contains { names[$0].map { ParameterNames.isLimit($0, of: others) } ?? false }
  }

  /// Whether the function destroys the object that is its only argument.
  private var isDestructor: Bool {
    types.count == 1 && (ownership.destroys(function, types[0]) || callerAllocated.destroys(function, types[0]))
  }

  private func declared(_ index: Int) -> Header.Parameter? {
    index < function.parameters.count ? function.parameters[index] : nil
  }

  private func isArray(_ index: Int) -> Bool { declared(index)?.isArray ?? false }

  /// Writes an address that may be left out, if a type map, the documentation or C programmers' use says so. Notes
  /// all but the map.
  mutating func optional(_ index: Int, _ type: String) -> String {
    if isDestructor { return "own \(type)" }
    // A function that sets a part of an object needs the object.
    let isSetter = index == 0 && ParameterNames.words(function.name).contains("set")
    var isOptional = header.isOptional(types[index])
    if case .pointer(let target, _) = header.resolved(types[index]), header.isOptional(target) { isOptional = true }
    if isOptional, !isSetter { return type + "?" }
    return declared(index)?.isNullable ?? false || isParent(index) ? nullable(names[index], type) : type
  }

  /// Writes a type that is taken to be NULL where an argument is left out.
  mutating func nullable(_ name: String, _ type: String) -> String {
    checks.append("\(name) is taken to be NULL where it is left out; if it must not be, it is \(type)")
    return type + "?"
  }

  /// Whether a function makes an object from another of its type, and no function makes the first one: that has no
  /// parent.
  private func isParent(_ index: Int) -> Bool {
    guard case .function(let result, _, _)? = function.type, case .pointer(let made, _) = header.resolved(result),
      case .pointer(let target, _) = header.resolved(types[index]), header.resolved(made) == header.resolved(target)
    else { return false }
    return (ParameterNames.isMaker(function: function.name) || ParameterNames.adds(function: function.name))
      && header.isFirstMadeFromNothing(target)
  }

  /// Whether a type map says that an element of 0 ends the data.
  private func isEnded(_ index: Int) -> Bool { header.elements(of: names[index], in: function.name) == .ended }

  private mutating func string(_ index: Int) throws(Unsuitable) -> String {
    if keepsData(index) { return kept(names[index], "cstr") }
    let isNullable = declared(index)?.isNullable ?? false
    return isNullable || ParameterNames.isOptional(names[index]) ? nullable(names[index], "cstr") : "cstr"
  }

  private mutating func object(_ index: Int, _ target: CType, _ isConst: Bool) throws(Unsuitable) -> String {
    let name = names[index]
    if CountedParameters.isHandle(target) { return optional(index, "ptr<\(text.name(of: target))>") }
    if ParameterNames.isAtomic(function: function.name) { return try sharedState(index, to: target) }
    if !isConst, ParameterNames.mayBeMany(name), !isDatum(index) {
      return try memory(index, to: target, "'\(name)' may be written to, and nothing says how much room it needs")
    }
    if !isConst, isFreed(index) { return try memory(index, to: target, "'\(name)' is freed") }
    let isNullable = declared(index)?.isNullable ?? false || isDatum(index) || ParameterNames.isContext(name)
    guard isConst, name == "data" || !ParameterNames.isContext(name) else {
      return isNullable ? nullable(name, "ptr<void>") : "ptr<void>"
    }
    let content = isNullable ? "bytes[*]?" : "bytes[*]"
    if keepsData(index) || ParameterNames.mayKeep(function: function.name) {
      return try keptOrRead(index, to: target, content)
    }
    checks.append("\(name) is taken to be data that is read, as much as the other arguments say, or an object")
    return content
  }

  /// A word that functions change in place, and of which a copy is of no use.
  private mutating func sharedState(_ index: Int, to target: CType) throws(Unsuitable) -> String {
    try memory(index, to: target, "'\(names[index])' is changed in place, and other calls have to see it")
  }

  /// Data that are only read, as many as another argument says, or up to a 0.
  private mutating func uncounted(_ index: Int, _ target: CType) throws(Unsuitable) -> String {
    let name = names[index]
    let content = text.content(of: target, count: "*") + (declared(index)?.isNullable ?? false ? "?" : "")
    if keepsData(index) || ParameterNames.mayKeep(function: function.name) {
      return try keptOrRead(index, to: target, content)
    }
    checks.append("\(name) is taken to be data that is read, as much as the other arguments say, or up to a 0")
    return content
  }

  /// Whether a `void *` is a user's datum, which the library keeps or passes on: its type has a name of its own for the
  /// address, as `gpointer` is one, or nothing in the function counts.
  private func isDatum(_ index: Int) -> Bool {
    guard names[index] == "data" || ParameterNames.isContext(names[index]), !hasCountBehind(index) else { return false }
    if case .named = types[index] { return true }
    return !types.indices.contains { number in
      guard case .integer = header.resolved(types[number]) else { return false }
      return !counts.isCount(number)
    }
  }

  /// Returns the number of elements that the declaration or a type map states.
  func bound(_ index: Int) -> Int? {
    if let bound = declared(index)?.bound { return bound }
    if case .number(let number)? = header.elements(of: names[index], in: function.name) { return number }
    return nil
  }

  /// Writes the address of numbers: as many as the declaration states, or one number unless its type, its name or its
  /// neighbours suggest more.
  private mutating func scalars(_ index: Int, _ target: CType, _ isConst: Bool) throws(Unsuitable) -> String {
    let name = names[index]
    let value = try text.value(target)
    let keeps = ParameterNames.mayKeep(function: function.name)
    if let bound = bound(index) {
      if isConst { return "[\(value); \(bound)]" }
      if keeps { return try keptOrRead(index, to: target, "[\(value); \(bound)]") }
      // A declaration says how many there are, and not whether the function reads them.
      let isSaid = declared(index)?.isWritten ?? false || ParameterNames.isWritten(name)
      if declared(index)?.bound != nil, !isSaid, !ParameterNames.isDestination(name) {
        checks.append("\(name) is taken to be \(bound) elements that are read and written; if only written, it is out")
        return "inout [\(value); \(bound)]"
      }
      checks.append("\(name) is taken to be \(bound) elements that are written, not read")
      return "out [\(value); \(bound)]"
    }
    if isConst, let count = ParameterNames.vectorSize(function: function.name), index == types.count - 1 {
      return "[\(value); \(count)]"
    }
    if isConst, text.isLetter(target), !text.isByte(target), !counts.isAmbiguous || isEnded(index),
      !isArray(index)
    {
      checks.append("\(name) is taken to end with a 0")
      return optional(index, "&[\(value); 0]")
    }
    if case .char = header.resolved(target), !isConst, changesText(index) {
      checks.append("\(name) is taken to be text that is changed in place, and does not become longer")
      return "inout str[*]"
    }
    if case .char = header.resolved(target), !isConst {
      return try memory(index, to: target, "'\(name)' is written to, and nothing says how much room it needs")
    }
    if ParameterNames.isAtomic(function: function.name) { return try sharedState(index, to: target) }
    if isConst { return try uncounted(index, target) }
    // lzma_stream_buffer_encode(..., uint8_t *out, size_t *out_pos, size_t out_size).
    if name.lowercased().hasSuffix("_pos"), names.contains(String(name.dropLast(4))) {
      checks.append("\(name) is taken to be a position that the function reads and advances; calls start at 0")
      return "inout \(value) = 0"
    }
    let isStatus = header.isEnumeration(target) && ParameterNames.isStatus(name)
    let isWritten = declared(index)?.isWritten ?? false || ParameterNames.isWritten(name) || isStatus
    let isRead = declared(index)?.isRead ?? false || !isWritten && ParameterNames.isState(name)
    let isPlace = ParameterNames.isPlace(name)
    let isOne =
      !isArray(index) && (isStatus || isPlace || !counts.isAmbiguous) && !text.isByte(target)
      && !text.isLetter(target)
    var isNumber = true
    if case .float = header.resolved(target) { isNumber = isWritten || ParameterNames.isQuantity(name) }
    guard isOne, isNumber, declared(index)?.name != nil, isWritten || isPlace || !ParameterNames.mayBeMany(name),
      !ParameterNames.fillsVector(function: function.name), !isBesideUncounted(index, target)
    else { return try memory(index, to: target, "nothing says how many elements '\(name)' has") }
    if keeps, !isWritten { return try keptOrRead(index, to: target, "&\(value)") }
    checks.append("\(name) is taken to be one \(value) that is \(isRead ? "read and written" : "written, not read")")
    return "\(isRead ? "inout" : "out") \(value)"
  }

  /// Whether the function reads data of the same type that nothing counts. It may write as many:
  /// `mpn_neg(mp_limb_t *rp, const mp_limb_t *up, mp_size_t n)`.
  private func isBesideUncounted(_ index: Int, _ target: CType) -> Bool {
    types.indices.contains { other in
      guard counts.count(of: other) == nil, case .pointer(let data, true) = header.resolved(types[other]) else {
        return false
      }
      return header.resolved(data) == header.resolved(target)
    }
  }

  /// Whether text that is not const is changed in place: the first text of a function whose name says so and that
  /// writes to no other text.
  private func changesText(_ index: Int) -> Bool {
    let name = names[index]
    guard ParameterNames.changesText(function: function.name), !isArray(index), !ParameterNames.isDestination(name),
      !ParameterNames.isWritten(name), !ParameterNames.isRoom(name)
    else { return false }
    return !types.indices.contains { other in
      guard case .pointer(let data, let isConst) = header.resolved(types[other]), header.resolved(data) == .char else {
        return false
      }
      return other < index || other > index && !isConst
    }
  }

  /// Writes the address of an address: `out` if the header says so. The function's name does not suffice, since the
  /// library may keep the address and write to it later: where the name suggests that it makes or finds an object of an
  /// opaque type, or a text, calls have to show it.
  private mutating func address(
    _ index: Int, of inner: CType, isConst: Bool, _ isConstInner: Bool
  ) throws(Unsuitable) -> String {
    let name = names[index]
    let target = CType.pointer(to: inner, isConst: isConstInner)
    if case .function = header.resolved(inner) {
      return try memory(
        index, to: target, "'\(name)' is the address of a function pointer, which may be read or written")
    }
    // Texts that a function does not exchange: char *const argv[].
    if isConst, header.resolved(inner) == .char { return try uncounted(index, target) }
    guard !isConst, !isArray(index), !counts.isAmbiguous else {
      return try memory(index, to: target, "'\(name)' may be an array of addresses")
    }
    let isText = header.resolved(inner) == .char
    if isText || text.isLetter(inner), ParameterNames.isEnd(name) {
      checks.append("\(name) is taken to be one address that is written: a place in the text that is given")
      return "out ptr<\(text.name(of: inner))>?"
    }
    let object = text.name(of: inner)
    let isRead = declared(index)?.isRead ?? false
    let isError = ParameterNames.isStatus(name) && object.lowercased().contains("error")
    // Its result is the one of an earlier call: sqlite3_free_table(char **result).
    let isNamed = ParameterNames.isWritten(name) && !ParameterNames.isDestroying(function: function.name)
    let isSaid = !isRead && (declared(index)?.isWritten ?? false || isNamed || isError || isSet(index))
    let isMade =
      ParameterNames.isMaker(function: function.name) && declared(index)?.name != nil && !isConstInner
      && (text.isOpaque(inner) || text.isHandleAddress(types[index])) && !name.hasSuffix("s")
    let mayGive =
      declared(index)?.name != nil && !ParameterNames.isDestroying(function: function.name)
      && !ParameterNames.mayKeep(function: function.name)
    let isTextFound =
      isText && mayGive && !ParameterNames.isPlural(name) && ParameterNames.gets(function: function.name)
    let isFound =
      mayGive && (text.isOpaque(inner) || text.isHandleAddress(types[index])) && !name.hasSuffix("s")
      && (ParameterNames.isGetter(function: function.name) || ParameterNames.isName(name, ofOne: object))
    let type = isText ? "cstr?" : "ptr<\(object)>?"
    if isRead || !(isSaid || isText && ParameterNames.isMessage(name)) {
      let advice = "if it is written, it is out \(type)"
      let reason = "'\(name)' may be an array of addresses, or be kept"
      guard !isRead, isMade || isFound || isTextFound else {
        return try memory(index, to: target, "\(reason); \(advice)")
      }
      guard header.isCalled else {
        return try memory(index, to: target, "\(reason); \(advice), which --check finds out")
      }
      let memory = try? memory(index, to: target, reason)
      if memory != nil { checks.removeLast() }
      guesses.append(Guess(parameter: name, reason: reason, memory: memory))
    }
    if isText {
      checks.append("\(name) is taken to be one text that is written; if the caller frees it, it is out own(f) cstr?")
      return "out cstr?"
    }
    checks.append("\(name) is taken to be one address that is written, not read")
    return "out \(own(target, name))\(type)"
  }

  /// Whether the documentation says that an address is set: "*str will be set to point to an allocated string". False
  /// if the function takes an object, as it may set the address in a later call:
  /// `lzma_index_decoder(lzma_stream *, lzma_index **i)`.
  private func isSet(_ index: Int) -> Bool {
    guard declared(index)?.documentation.contains("*\(names[index]) will be set") ?? false else { return false }
    return !types.contains { type in
      guard case .pointer(let target, false) = header.resolved(type) else { return false }
      if case .tagged("struct", _) = header.resolved(target) { return true }
      return CountedParameters.isHandle(target)
    }
  }

  /// Writes the address of a struct: its value, if a copy serves as well and nothing suggests several structs.
  private mutating func structure(_ index: Int, _ target: CType, _ isConst: Bool) throws(Unsuitable) -> String {
    let name = names[index]
    if !isConst, callerAllocated.isMade(target), CallerAllocated.makesSeveral(function) {
      return try memory(index, to: target, "'\(name)' may be several, and the host allocates one")
    }
    let isOne = !isArray(index) && !counts.isAmbiguous && declared(index)?.name != nil && !ParameterNames.isPlural(name)
    let isSaid = declared(index)?.isWritten ?? false || ParameterNames.isWritten(name)
    // A typedef of a pointer looks like that of an array: gss_buffer_t.
    var mayBeArray = isArray(index)
    if case .named = types[index] { mayBeArray = false }
    if !mayBeArray, !ParameterNames.isPlural(name), !hasCountBehind(index), let value = header.structure(target) {
      guard !isConst, !isSaid else { return "\(isConst ? "&" : "out ")\(value)" }
      // The default suffices if all elements are optional.
      let all = "inout \(value) = {}"
      return (try? Signature(parsing: "f(a: \(all))")) == nil ? "inout \(value)" : all
    }
    if isOne, isSaid, !isConst, !(declared(index)?.isRead ?? false), !ParameterNames.words(name).contains("in"),
      !text.isObject(target), !callerAllocated.isMade(target), !hasCountBehind(index),
      !ParameterNames.mayKeep(function: function.name), let value = try? text.value(target)
    {
      checks.append("\(name) is taken to be one struct that is written, not read")
      return "out \(value)"
    }
    if isOne, !isConst, header.isReturned(target), !callerAllocated.isMade(target), !hasCountBehind(index),
      !ParameterNames.mayKeep(function: function.name), let value = try? text.value(target)
    {
      checks.append("\(name) is taken to be read and written; if it is only written, it is out")
      return "inout \(value)"
    }
    guard isOne, text.isPlain(target), !text.isObject(target), !callerAllocated.isMade(target), !hasCountBehind(index),
      isConst || !ParameterNames.mayKeep(function: function.name)
    else {
      let type = optional(index, "ptr<\(text.name(of: target, or: types[index]))>")
      return isConst && ParameterNames.isOptional(name) && !type.hasSuffix("?") ? nullable(name, type) : type
    }
    if isConst {
      let value = "&\(try text.value(target))"
      guard declared(index)?.isNullable ?? false else { return value }
      _ = nullable(name, value)
      return String(value.dropFirst()) + "?"
    }
    checks.append("\(name) is taken to be read and written; if it is only written, it is out")
    return "inout \(try text.value(target))"
  }

  /// Whether the next parameter may be the count or the size of this parameter's elements.
  func hasCountBehind(_ index: Int) -> Bool {
    guard index + 1 < types.count else { return false }
    var type = header.resolved(types[index + 1])
    if case .pointer(let target, _) = type { type = header.resolved(target) }
    guard case .integer = type else { return false }
    return ParameterNames.mayCount(names[index + 1])
  }
}
