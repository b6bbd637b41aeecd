/// Writes the signature of one function. If the prototype leaves the meaning of a type open, the writer chooses one by
/// which the function cannot write outside its memory, and notes the choice in `checks`. A function without such a
/// choice is left out.
struct SignatureWriter {
  let function: Header.Function
  let types: [CType]
  let names: [String]
  let header: Header
  let text: TypeText
  let counts: CountedParameters
  let ownership: Ownership
  let callerAllocated: CallerAllocated
  /// The struct that the function makes in its caller's memory.
  let made: CallerAllocated.Made?
  var checks: [String] = []
  /// The parameters that are written according to the function's name alone.
  var guesses: [Guess] = []

  init(
    _ function: Header.Function, _ types: [CType], _ header: Header, _ ownership: Ownership,
    _ callerAllocated: CallerAllocated
  ) {
    self.function = function
    self.types = types
    self.header = header
    self.ownership = ownership
    self.callerAllocated = callerAllocated
    made = callerAllocated.made(by: function)
    text = TypeText(header: header)
    names = Self.names(function, count: types.count)
    counts = CountedParameters(of: function, types.map(header.resolved), names, header)
  }

  mutating func signature(result: CType, isVariadic: Bool) throws(Unsuitable) -> String {
    let tail = isVariadic ? try self.tail() : nil
    var parameters: [String] = []
    let hasError = tail == nil && self.hasError
    var isLent: [Bool] = []
    for index in types.indices.dropLast(hasError ? 1 : 0) {
      let isFormat = index == tail?.format
      let text = isFormat ? "const cstr = \"%s\"" : try parameter(index)
      parameters.append("\(names[index]): \(text)")
      isLent.append(!["ptr<", "own ", "keep ", "out(", "const ", "context", "at "].contains(where: text.hasPrefix))
    }
    if let tail { parameters.append(tail.text) }
    let returned = (try self.result(result, isLent)).map { " -> \($0)" } ?? ""
    return "\(function.name)(\(parameters.joined(separator: ", ")))\(returned)\(hasError ? " ! gerror" : "")"
  }

  /// The arguments in the place of `...`, and the index of the format before it: those of a type map, or a text, by the
  /// only format that C reads one by. Without either, a tail that takes any of C's arguments.
  private mutating func tail() throws(Unsuitable) -> (text: String, format: Int?) {
    if let said = header.text(of: "...", in: function.name) { return (said, nil) }
    guard function.isPrintf, let format = types.indices.last,
      case .pointer(let target, true) = header.resolved(types[format]), header.resolved(target) == .char
    else {
      checks.append(
        "arguments of any type may follow: an i64 stands for every integer and for NULL, "
          + "and a cstr is freed after the call")
      return ("...: i64 | u64 | f64 | cstr | ptr<void>", nil)
    }
    return ("..., \(names.contains("text") ? "formatted" : "text"): cstr", format)
  }

  /// Returns the text that a type map has for a parameter, by its name or by its place: versions of a header name
  /// parameters or leave the names out. `argument4` in the text is the fourth parameter.
  func mapped(_ index: Int) -> String? {
    let said =
      header.text(of: names[index], in: function.name) ?? header.text(of: "argument\(index + 1)", in: function.name)
    guard let said, said.contains("argument") else { return said }
    return names.indices.reversed().reduce(said) { $0.replacing("argument\($1 + 1)", with: names[$1]) }
  }

  /// Writes a parameter as a type map states it.
  private func said(_ text: String, _ index: Int) throws(Unsuitable) -> String? {
    guard ["in", "out", "inout"].contains(text) else { return text }
    guard case .pointer(let target, _) = header.resolved(types[index]) else { return nil }
    let one: String
    switch header.resolved(target) {
    case .pointer(let inner, _) where header.resolved(inner) == .char: one = "cstr?"
    case .pointer(let inner, _): one = "ptr<\(self.text.name(of: inner, or: target))>?"
    default: one = try self.text.value(target)
    }
    return text == "in" ? "&\(one)" : "\(text) \(one)"
  }

  /// Whether the last parameter is a `GError **`.
  var hasError: Bool { types.last.map(isError) ?? false }

  /// Whether the type is `GError **`, which is not an argument of a call.
  private func isError(_ type: CType) -> Bool {
    guard case .pointer(let target, false) = header.resolved(type),
      case .pointer(let error, false) = header.resolved(target)
    else { return false }
    return text.name(of: error) == "GError"
  }

  /// Returns the names of a function's parameters in its signature; none for a function whose type is not understood.
  static func names(_ function: Header.Function) -> [String] {
    guard case .function(_, let types, _)? = function.type else { return [] }
    return names(function, count: types.count)
  }

  /// Returns names that a signature can have, each once.
  private static func names(_ function: Header.Function, count: Int) -> [String] {
    var taken: Set<String> = ["result"]
    return (0..<count).map { index in
      let given = index < function.parameters.count ? function.parameters[index].name ?? "" : ""
      // Names of the C library begin with underscores.
      var name = String(given.drop { $0 == "_" }.map { $0.isASCII ? $0 : "_" })
      if name.isEmpty { name = "argument\(index + 1)" }
      while !taken.insert(name).inserted { name += "_" }
      return name
    }
  }

  private mutating func parameter(_ index: Int) throws(Unsuitable) -> String {
    let type = header.resolved(types[index])
    if text.isArgumentList(types[index]) { throw Unsuitable(header.advice(onArgumentListOf: function.name)) }
    if let said = mapped(index), let text = try self.said(said, index) {
      return text
    }
    if callback(index) != nil { return try callback(index) }
    if index == contextParameter { return "context" }
    guard case .pointer(let target, let isConst) = type else { return try value(index, type) }
    if counts.isCountOfRead(index, types.map(header.resolved), header) { return "inout \(try text.value(target))" }
    if counts.isLengthAddress(index) { return try lengthAddress(index, of: target) }
    if let made, made.index == index { return callerAllocated(made, target) }
    guard let count = counts.count(of: index) else { return try pointer(index, to: target, isConst) }
    let name = names[index]
    if counts.isCursor(index) { return moved(index, target, count) }
    let content = text.content(of: target, count: names[count])
    if keepsData(index) { return kept(name, content) }
    if isConst {
      let isCopied = header.resolved(target) == .char || content.contains("ptr<")
      if !isCopied, ParameterNames.mayRefer(function: function.name), hasReferringObject {
        return try keptOrRead(index, to: target, content)
      }
      let mayKeep = ParameterNames.mayKeep(function: function.name)
      checks.append(
        "\(name) is taken to have \(names[count]) elements"
          + (mayKeep ? "; if the function keeps their address, it is keep \(content)" : ""))
      return content
    }
    if ParameterNames.appendsText(function: function.name) {
      return try memory(
        index, to: target, "'\(name)' is read before it is written, and nothing says that it ends with a 0")
    }
    if function.accesses.contains(where: { $0.pointer == index && $0.count == count && $0.isRead && $0.isWritten }) {
      return changed(name, content)
    }
    if ParameterNames.mayKeep(function: function.name) { return try keptOrRead(index, to: target, content) }
    if mayBeRead(index) {
      checks.append("\(name) is taken to be \(names[count]) elements that are read, not written")
      return content
    }
    if changesInPlace(index, target, count) {
      return changed(name, content)
    }
    if CountedParameters.elements(header.resolved(types[index]), header) == .addresses {
      return try memory(index, to: target, "'\(name)' may be an array of addresses that is written")
    }
    checks.append(
      "\(name) is taken to have room for \(names[count]) elements"
        + (counts.isLengthAddress(count)
          ? "; a function that does not look at \(names[count]) first may write more" : resultCount(of: name)))
    return "out \(content)"
  }

  /// Data whose address the function moves behind those that it has read or written.
  private mutating func moved(_ index: Int, _ target: CType, _ count: Int) -> String {
    let name = names[index]
    let isRead = CountedParameters.isConst(header.resolved(target))
    checks.append(
      "\(name) is taken to be \(names[count]) bytes, whose address is moved behind those that are "
        + (isRead ? "read" : "written"))
    return "\(isRead ? "" : "out ")moving bytes[\(names[count])]"
  }

  /// The rest of a mark, on a result that counts the elements, as that of `read()` does; empty if it is not an integer.
  private func resultCount(of name: String) -> String {
    guard case .function(let result, _, _)? = function.type, CountedParameters.isInteger(header.resolved(result)) else {
      return ""
    }
    let isCounted = header.text(of: "result", in: function.name)?.hasSuffix("counts \(name)") ?? false
    return isCounted ? ", and the result to count them" : "; if the result counts them, it is counts \(name)"
  }

  /// Whether counted data that are not const are read: structs and addresses, for which C programmers leave out the
  /// const, and data whose names say so. The memory for them suffices in either case.
  private func mayBeRead(_ index: Int) -> Bool {
    if CountedParameters.areArguments(header.resolved(types[index]), names[index], header) { return true }
    let elements = CountedParameters.elements(header.resolved(types[index]), header)
    let isSaid = index < function.parameters.count && function.parameters[index].isWritten
    let isWritten =
      isSaid || ParameterNames.isWritten(names[index]) || ParameterNames.fillsArrays(function: function.name)
    if !isWritten && (elements == .structs || elements == .addresses) { return true }
    // A function that gets the address of the size updates it, and so writes the data.
    guard !isWritten, let count = counts.count(of: index), !counts.isLengthAddress(count) else { return false }
    // XRestackWindows(Display *, Window *windows, int nwindows); a function that fills an array is called get or list.
    let isList = elements == .wide && ParameterNames.isPlural(names[index]) && names[count] == "n" + names[index]
    return ParameterNames.isRead(names[index]) || isList || ParameterNames.takes(function: function.name)
      || ParameterNames.writesData(function: function.name) && !ParameterNames.isDestination(names[index])
  }

  /// Drafts counted data that are read and changed.
  private mutating func changed(_ name: String, _ content: String) -> String {
    checks.append("\(name) is taken to be changed in place; if it is not read, it is out")
    return "inout \(content)"
  }

  /// Whether counted data are read and changed: they are the only data of a function whose name says so.
  private func changesInPlace(_ index: Int, _ target: CType, _ count: Int) -> Bool {
    guard header.resolved(target) == .void, !ParameterNames.isDestination(names[index]),
      !ParameterNames.isWritten(names[index]), ParameterNames.worksInPlace(function: function.name),
      !counts.isLengthAddress(count)
    else { return false }
    return !types.indices.contains { other in
      guard other != index, case .pointer(let data, _) = header.resolved(types[other]) else { return false }
      return [.void, .char].contains(header.resolved(data)) || text.isByte(data)
    }
  }

  /// Whether an argument or a result is an object that may contain addresses: one that the header does not define, or
  /// that has addresses in it.
  private var hasReferringObject: Bool {
    guard case .function(let result, _, _)? = function.type else { return false }
    return (types + [result]).contains { type in
      guard case .pointer(var target, _) = header.resolved(type) else { return false }
      // An object that the function makes.
      if case .pointer(let inner, _) = header.resolved(target) { target = inner }
      if case .tagged("struct", _) = header.resolved(target) { return !text.isPlain(target) }
      return CountedParameters.isHandle(target) && header.resolved(target) == .void
    }
  }

  /// Whether the function keeps data that belong to the caller: the documentation says so, or the name of the function
  /// does and they are its first data.
  func keepsData(_ index: Int) -> Bool {
    let documentation = index < function.parameters.count ? function.parameters[index].documentation : ""
    return ["not copied", "remain valid"].contains(where: documentation.contains)
      || ParameterNames.keepsData(function: function.name) && index == firstData
  }

  /// The first const data, or otherwise the first data.
  private var firstData: Int? {
    types.firstIndex { CountedParameters.isConst(header.resolved($0)) }
      ?? types.firstIndex { CountedParameters.isData(header.resolved($0), header) }
  }

  /// Writes data whose address the function keeps: a copy lives as long as the object that uses it. A copy of addresses
  /// would not keep their objects.
  mutating func kept(_ name: String, _ content: String) -> String {
    guard !content.contains("ptr<") else {
      checks.append("\(name) is taken to be kept: give memory that lives as long as the object")
      return "ptr<void>"
    }
    checks.append("\(name) is taken to be kept: a copy of it lives as long as the object")
    return "keep \(content)"
  }

  /// Data that the function may keep, or only reads. A copy that stays suits both.
  mutating func keptOrRead(_ index: Int, to target: CType, _ content: String) throws(Unsuitable) -> String {
    let name = names[index]
    if content.contains("ptr<") { return try memory(index, to: target, "'\(name)' may be kept, or only read") }
    checks.append("\(name) is taken to be read, in the call or later; if only in the call, it needs no keep")
    return "keep \(content)"
  }

  /// Writes the address of memory whose size nothing states: the caller allocates it, as in C. Such a function is
  /// drafted only if callers want that, unless it frees the memory: no check can find the size that suffices.
  mutating func memory(_ index: Int, to target: CType, _ reason: String) throws(Unsuitable) -> String {
    let isObject = header.resolved(target) == .void && isFreed(index)
    guard header.hasCallerMemory || isObject else { throw Unsuitable(reason) }
    let advice = header.hasCallerMemory ? "memory that suffices, of \(MemoryFunctions.maker)" : "an object to be freed"
    checks.append("\(reason): give \(advice)")
    let type = "ptr<\(text.name(of: target, or: types[index]))>"
    // Memory that the function frees is not the caller's any more.
    return isFreed(index) ? "own \(type)" : type
  }

  /// Whether the function frees an argument: its only one, or the memory that it resizes.
  func isFreed(_ index: Int) -> Bool {
    let name = function.name
    return types.count == 1 && ParameterNames.isDestroying(function: name)
      || index == 0 && name.lowercased().contains("realloc")
  }

  /// A struct that the function makes in memory that the host allocates.
  private mutating func callerAllocated(_ made: CallerAllocated.Made, _ target: CType) -> String {
    let name = names[made.index]
    let end = made.destructor.map { ", and that \($0) ends" } ?? ""
    checks.append("\(name) is taken to be one \(made.type) that the function makes\(end)")
    return "out(\(made.size)) \(made.ownership)ptr<\(text.name(of: target, or: types[made.index]))>"
  }

  /// Writes a parameter by value: an integer with the names of its values, if an enum or the documentation has them.
  private func value(_ index: Int, _ type: CType) throws(Unsuitable) -> String {
    let value = try text.argument(types[index])
    guard case .integer(let isSigned, let bits) = type, index < function.parameters.count else { return value }
    let group = header.macros.group(in: function.parameters[index].documentation, isSigned: isSigned, bits: bits)
    let isFlags = ParameterNames.words(names[index]).contains { ["flags", "mask", "options"].contains($0) }
    return EnumerationText(group, isFlags: isFlags).suffix.map { "\(value) \($0)" } ?? value
  }

  /// Returns the `own(...)` of a result that the caller has to destroy, and notes it as a point to check: `own` if the
  /// object may belong to another owner, and a call releases it; empty if none does.
  mutating func own(_ type: CType, _ what: String) -> String {
    guard let destructor = ownership.destructor(ofResult: type, of: function) else {
      guard let release = ownership.release(ofResult: type, of: function) else { return "" }
      checks.append(
        "\(what) is taken to be live until \(release) is called; if it is the caller's, it is own(\(release))")
      return "own "
    }
    checks.append("\(what) is taken to be the caller's, who has \(destructor) destroy it")
    return "own(\(destructor)) "
  }

  /// Writes the address of a number that is the capacity before the call, and the length after it. Some functions do
  /// not read the capacity, so the default has to suffice for them too.
  private func lengthAddress(_ index: Int, of target: CType) throws(Unsuitable) -> String {
    guard case .integer(_, let bits) = header.resolved(target) else {
      throw Unsuitable("'\(names[index])' is the address of a length that is not an integer")
    }
    return "inout \(try text.value(target)) = \(bits < 32 ? 32767 : 65536)"
  }

  /// Whether the result is raw memory, whose size is an argument.
  private var givesMemory: Bool {
    ParameterNames.givesMemory(function: function.name)
      && types.contains { CountedParameters.isInteger(header.resolved($0)) }
  }

  /// Writes the result. `isLent` says of each parameter whether the host's memory for it lasts as long as the call.
  private mutating func result(_ type: CType, _ isLent: [Bool]) throws(Unsuitable) -> String? {
    if let said = header.text(of: "result", in: function.name) { return said }
    switch header.resolved(type) {
    case .void: return nil
    case .function: return "ptr<function>?"
    case .pointer(let target, let isConst):
      let isEnded = header.elements(of: "result", in: function.name) == .ended
      switch header.resolved(target) {
      case .function: return "ptr<function>?"
      case .integer where isEnded && text.isByte(target): return "cstr?"
      case .pointer(let inner, _) where isEnded && header.resolved(inner) == .char: return "&[cstr; 0]?"
      case .char where !isConst && givesMemory: return "ptr<void>?"
      case .char:
        if !isConst {
          checks.append("the result is taken to be the library's; if the caller frees it, it is own(free) cstr")
        }
        return "cstr?"
      case .integer where text.isLetter(target) && !text.isByte(target):
        checks.append("the result is taken to be the library's, and to end with a 0")
        return "&[\(try text.value(target)); 0]?"
      case .pointer(let inner, _) where header.resolved(inner) == .char:
        checks.append(
          "the result may be an array of texts: &[cstr; 0] if it ends with NULL, own(f) &[cstr; 0] if f frees it")
        fallthrough
      default:
        if let written = argumentOfResult(target, isLent) {
          checks.append("the result is taken to be the address of \(written), or NULL after a failure")
          return "usize ! zero"
        }
        return own(type, "the result") + "ptr<\(text.name(of: target, or: type))>?"
      }
    default: return try text.value(type)
    }
  }
}
