extension SignatureWriter {
  /// Returns the function that a parameter points to; nil if the parameter is not a function pointer.
  func callback(_ index: Int) -> (result: CType, parameters: [CType], isVariadic: Bool)? {
    var type = header.resolved(types[index])
    if case .pointer(let target, _) = type { type = header.resolved(target) }
    guard case .function(let result, let parameters, let isVariadic) = type else { return nil }
    return (result, parameters, isVariadic)
  }

  /// Writes the type of a function pointer. The host keeps the callback as long as the plugin is loaded, unless the
  /// name of the function says that it calls back before it returns.
  mutating func callback(_ index: Int) throws(Unsuitable) -> String {
    let name = names[index]
    guard let (result, parameters, isVariadic) = callback(index) else {
      throw Unsuitable("'\(name)' is not a function")
    }
    // No closure is one; a C function's address may be.
    if isVariadic { return optional(index, "ptr<function>") }
    if let data = dataToBeFreed(by: result, parameters) {
      throw Unsuitable("'\(name)' may free '\(names[data])', which the function then keeps")
    }
    let given = callbackNames(index, count: parameters.count)
    let context = contextParameter == nil ? nil : contextArgument(of: index)
    let counts = CountedParameters(parameters.map(header.resolved), given, header)
    var list: [String] = []
    for number in parameters.indices {
      let text = number == context ? "context" : try argument(number, of: parameters, given, counts)
      list.append((given[number].map { "\($0): " } ?? "") + text)
    }
    let isShort = ParameterNames.callsBeforeItReturns(function: function.name)
    checks.append(
      isShort
        ? "\(name) is taken to be called before the function returns; if it is kept, it is @forever"
        : "\(name) is taken to be kept; if it is called before the function returns alone, it is @call")
    // A GDestroyNotify is called with data that the library drops, if there is one; g_list_free_full() needs one.
    let mayBeNone = header.isOptional(types[index]) && !ParameterNames.isDestroying(function: function.name)
    let isNullable = index < function.parameters.count && function.parameters[index].isNullable
    let isSetter = !isShort && ParameterNames.words(function.name).contains { $0.hasPrefix("set") }
    let isOptional = isNullable || mayBeNone || isSetter
    let returned = try self.returned(result, by: name)
    return "fn(\(list.joined(separator: ", ")))\(returned)\(isShort ? " @call" : " @forever")\(isOptional ? "?" : "")"
  }

  /// Returns the data that a callback without a context may free, as a destructor does:
  /// `sqlite3_bind_text(..., void (*)(void *))`. The host frees an argument after the call.
  private func dataToBeFreed(by result: CType, _ parameters: [CType]) -> Int? {
    guard parameters.count == 1, isOpen(parameters[0]), header.resolved(result) == .void, contextParameter == nil else {
      return nil
    }
    return types.indices.first { index in
      guard case .pointer(let target, _) = header.resolved(types[index]), mapped(index) == nil else { return false }
      switch header.resolved(target) {
      case .char, .integer, .float, .bool: return true
      case .void: return !CountedParameters.isHandle(target)
      default: return false
      }
    }
  }

  /// The index of the context, which the library passes back to callbacks: the `void *` beside them, or the only one
  /// with the name of a context.
  var contextParameter: Int? {
    let callbacks = types.indices.filter { callback($0) != nil && contextArgument(of: $0) != nil }
    guard let first = callbacks.first, let last = callbacks.last else { return nil }
    let open = types.indices.filter { isOpen(types[$0]) && counts.count(of: $0) == nil }
    let named = open.filter { ParameterNames.isContext(names[$0]) && !hasCountBehind($0) }
    if named.count == 1 { return named[0] }
    // Otherwise it is right behind the callbacks; a parameter before them needs such a name.
    let behind = (last + 1..<types.count).first { callback($0) == nil }
    let isUnnamed = behind.map { $0 >= function.parameters.count || function.parameters[$0].name == nil } ?? false
    return behind.flatMap { open.contains($0) && $0 > first && (isUnnamed || open.count == 1) ? $0 : nil }
  }

  /// Returns the argument of a callback that is the context: the only `void *`, or the only one whose name says so.
  private func contextArgument(of index: Int) -> Int? {
    guard let parameters = callback(index)?.parameters else { return nil }
    let open = parameters.indices.filter { isOpen(parameters[$0]) }
    let given = callbackNames(index, count: parameters.count)
    let named = open.filter { given[$0].map(ParameterNames.isContext) ?? false }
    if named.count == 1 { return named[0] }
    return open.count == 1 ? open[0] : nil
  }

  private func isOpen(_ type: CType) -> Bool {
    guard case .pointer(let target, false) = header.resolved(type), !CountedParameters.isHandle(target) else {
      return false
    }
    return header.resolved(target) == .void
  }

  /// Returns the names in the callback's declaration, nil for one that is not ASCII or repeats another. All are nil
  /// unless the text has `count` names.
  private func callbackNames(_ index: Int, count: Int) -> [String?] {
    var names = index < function.parameters.count ? function.parameters[index].callbackNames : []
    var type = types[index]
    for _ in 0..<64 where names.isEmpty {
      if case .pointer(let target, _) = type { type = target }
      guard case .named(let name) = type else { break }
      names = header.callbackNames[name] ?? []
      type = header.meaning(of: name)
    }
    guard names.count == count else { return [String?](repeating: nil, count: count) }
    var taken: Set<String> = ["result"]
    return names.map { name in
      guard let name, name.allSatisfy(\.isASCII), taken.insert(name).inserted else { return nil }
      return name
    }
  }

  /// Writes the type of an argument that a callback receives. An address is read only where its type defines the memory
  /// there.
  private func argument(
    _ number: Int, of parameters: [CType], _ given: [String?], _ counts: CountedParameters
  ) throws(Unsuitable) -> String {
    let written = parameters[number]
    if text.isArgumentList(written) {
      throw Unsuitable(
        "takes a callback with a va_list, which only C code can read: write a C function that gives it a callback of "
          + "its own, and adopt that one")
    }
    let type = header.resolved(written)
    guard case .pointer(let target, let isConst) = type else {
      if case .function = type { return "ptr<function>?" }
      return try text.value(written)
    }
    if isConst, let count = counts.count(of: number), let name = given[count] {
      return "\(text.content(of: target, count: name))?"
    }
    let mayHaveCount = parameters.indices.contains { index in
      guard case .integer = header.resolved(parameters[index]) else { return false }
      return given[index].map(ParameterNames.mayBeLength) ?? true
    }
    if isConst, !mayHaveCount, !isInRange(written, of: parameters, given) {
      if header.resolved(target) == .char { return "cstr?" }
      let isOne = !ParameterNames.isPlural(given[number] ?? "")
      if case .tagged = header.resolved(target), isOne, text.isPlain(target), !text.isObject(target) {
        return "\(try text.value(target))?"
      }
    }
    return "ptr<\(text.name(of: target, or: written))>?"
  }

  private func returned(_ result: CType, by name: String) throws(Unsuitable) -> String {
    switch header.resolved(result) {
    case .void: return ""
    case .pointer(let target, _): return " -> ptr<\(text.name(of: target, or: result))>?"
    case .function: throw Unsuitable("'\(name)' returns a function")
    default:
      guard text.isPlain(result) else { throw Unsuitable("'\(name)' returns a type that no callback can return") }
      return " -> \(try text.value(result))"
    }
  }
}
