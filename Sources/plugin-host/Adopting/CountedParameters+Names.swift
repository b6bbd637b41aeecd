/// Rules that find counts by the name of the data: `dest_size` of `dest`, `npoints` of `points`, `inl` of `in`.
extension CountedParameters {
  /// Makes an integer parameter the count of the only data parameter whose name it repeats, at any distance. Data that
  /// two integers could count get no count.
  mutating func findByName(_ types: [CType], _ names: [String], _ header: Header) {
    var found: [Int: [Int]] = [:]
    for count in types.indices where Self.isInteger(types[count]) && !counts.values.contains(count) {
      let counted = types.indices.filter { data in
        counts[data] == nil
          && (Self.counts(names[count], names[data], isBehind: data + 1 == count, Self.elements(types[data], header))
            || names[count] == "argc" && Self.areArguments(types[data], names[data], header))
      }
      if counted.count == 1 { found[counted[0], default: []].append(count) }
    }
    for (data, numbers) in found where numbers.count == 1 { counts[data] = numbers[0] }
  }

  /// Whether a parameter is the arguments of a program: `char **argv`.
  static func areArguments(_ type: CType, _ name: String, _ header: Header) -> Bool {
    guard name == "argv", case .pointer(let text, _)? = element(type, header) else { return false }
    return header.resolved(text) == .char
  }

  /// The elements of memory, as far as the unit of a count depends on them.
  enum Elements { case bytes, unknown, wide, structs, addresses }

  /// Returns the kind of the elements behind an address; nil for an object of the library.
  static func elements(_ type: CType, _ header: Header) -> Elements? {
    guard case .pointer(let target, let isConst) = type else { return nil }
    let text = TypeText(header: header)
    switch header.resolved(target) {
    case .char, .integer(_, 8): return .bytes
    case .void: return isHandle(target) ? nil : .unknown
    case .integer, .float, .tagged("enum", _): return .wide
    // Elements that a type map describes are values.
    case .tagged("struct", _) where header.structure(target) != nil: return .structs
    case .tagged("struct", let tag):
      // A const array holds copies: it does not matter that functions return addresses of such structs.
      let isValue = isConst ? header.isWholeValue(tag) : !header.isObject(tag)
      return text.isPlain(target) && isValue ? .structs : nil
    case .pointer(let inner, let isConstInner):
      if header.resolved(inner) == .char { return isConst || isConstInner ? .addresses : nil }
      return text.isOpaque(inner) || text.isHandleAddress(type) ? .addresses : nil
    default: return nil
    }
  }

  /// Whether an integer named `count` counts the elements of a parameter named `data`.
  private static func counts(_ count: String, _ data: String, isBehind: Bool, _ elements: Elements?) -> Bool {
    guard let elements else { return false }
    let count = count.lowercased().filter { $0 != "_" }
    let data = data.lowercased().filter { $0 != "_" }
    // LLVMValueRef *Args, unsigned NumArgs: addresses, or structs, in the plural.
    if isBehind, count != "n", elements == .structs || elements == .addresses, ParameterNames.isPlural(data),
      ParameterNames.mayCount(count), !["len", "size", "byte"].contains(where: count.contains)
    {
      return true
    }
    let isNumbered = ["n", "num", "numberof", "nof"].contains { count == $0 + data || count + "s" == $0 + data }
    if isNumbered { return data.count > 1 && elements != .unknown }
    if count == "bytes" + data, elements == .bytes { return true }
    guard count.hasPrefix(data), data.count > 1 || isBehind else { return false }
    let ending = String(count.dropFirst(data.count))
    switch elements {
    case .bytes: return endings.contains(ending) || ending == "l" && isBehind
    case .unknown: return endings.contains(ending) && !countsElements(ending)
    case .wide: return endings.contains(ending) && !["size", "bytes", "byte"].contains(ending)
    case .structs: return countsElements(ending)
    case .addresses: return countsElements(ending) || ["len", "length"].contains(ending)
    }
  }
}
