/// Finds the parameters of a C function that count the elements of others. C's types do not show it, but the order and
/// the names of parameters do: `(const void *data, size_t length)`, `(unsigned char *dest, unsigned long *destLen)`.
struct CountedParameters {
  var counts: [Int: Int] = [:]
  var addresses: Set<Int> = []
  /// The data whose address the function moves.
  var cursors: Set<Int> = []
  /// Whether some number may be a count that no rule here finds.
  private(set) var isAmbiguous = false

  init(of function: Header.Function, _ types: [CType], _ names: [String], _ header: Header) {
    // A function that manages memory by its size takes no data.
    if function.name.lowercased().contains("alloc") {
      isAmbiguous = types.indices.contains { index in
        Self.isInteger(types[index]) && (Self.isCount(names[index]) || ParameterNames.mayCount(names[index]))
      }
      return
    }
    note(function.accesses, types, header)
    findCursors(types, names, header)
    findByName(types, names, header)
    findBefore(types, names, header)
    findUnnamed(function, types, header)
    findOnly(types, names, header)
    find(types, names, isArray: function.parameters.map(\.isArray), header)
    findLast(types, names, header)
    for index in types.indices {
      switch header.elements(of: names[index], in: function.name) {
      case .counted(let name): counts[index] = names.firstIndex(of: name) ?? counts[index]
      case .ended: counts[index] = nil
      case .number, nil: break
      }
    }
  }

  /// Finds the counts among the parameters of a callback, which may have no names.
  init(_ types: [CType], _ names: [String?], _ header: Header) {
    guard names.contains(where: { $0 != nil }) else { return }
    find(types, names.map { $0 ?? "" }, isArray: types.map { _ in false }, header)
  }

  private mutating func find(_ types: [CType], _ names: [String], isArray: [Bool], _ header: Header) {
    for index in types.indices {
      guard Self.isCount(names[index]) else {
        if Self.isInteger(types[index]), ParameterNames.mayCount(names[index]) { isAmbiguous = true }
        continue
      }
      var pointers = Self.pointers(before: index, types, names, header) { counts[$0] == nil && !addresses.contains($0) }
      if isOtherNumber(index, pointers, types, names, header) { pointers = [] }
      if let input = input(behind: index, pointers, types, names, header) { pointers = [input] }
      // Neighbours (size, count) are multiplied: only the manual says which of them counts elements.
      let neighbours = [index - 1, index + 1].filter(types.indices.contains)
      let isOneOfTwo = neighbours.contains { Self.isInteger(types[$0]) && Self.isCount(names[$0]) }
      if Self.isInteger(types[index]) {
        // A number of written elements, between data and their count: EVP_MAC_final(..., out, size_t *outl, outsize).
        let isOthers = counts.values.contains(index) && !pointers.contains { Self.isConst(types[$0]) }
        if isOthers { continue }
        if isOneOfTwo || pointers.isEmpty {
          isAmbiguous = true
        } else {
          for pointer in pointers { counts[pointer] = index }
        }
      } else if case .pointer(let number, false) = types[index], Self.isCapacity(header.resolved(number)),
        !isArray[index], let pointer = pointers.first, !Self.isConst(types[pointer])
      {
        counts[pointer] = index
        addresses.insert(index)
      }
    }
    // An output may be longer than the input whose count it shares, so it gets no count.
    for (pointer, count) in counts where !Self.isConst(types[pointer]) && !addresses.contains(count) {
      let isShared = counts.contains { $0.key != pointer && $0.value == count && Self.isConst(types[$0.key]) }
      if isShared { counts[pointer] = nil }
    }
    let first = counts.keys.min() ?? 0
    // Data of another type right before counted data may have that count too.
    if first > 0, !counts.isEmpty, Self.isData(types[first - 1], header) { isAmbiguous = true }
  }

  /// Whether a `count` after text counts something else, because the function has other data with a count that repeats
  /// the name of that data: `(const char *prefix, unsigned long count, const char *rbytes, int nrbytes)`.
  private func isOtherNumber(
    _ count: Int, _ pointers: [Int], _ types: [CType], _ names: [String], _ header: Header
  ) -> Bool {
    guard ["count", "cnt", "num"].contains(names[count].lowercased()), let text = pointers.first,
      Self.isConst(types[text]), Self.element(types[text], header) == .char
    else { return false }
    return counts.contains { data, number in
      !pointers.contains(data) && names[number].lowercased().contains(names[data].lowercased()) && names[data].count > 1
    }
  }

  /// Returns the bytes that a function reads right behind a number that could count the output before it as well:
  /// `base64_encode_raw(char *dst, size_t length, const uint8_t *src)`. Only the number's name could say that it counts
  /// the output.
  private func input(
    behind count: Int, _ pointers: [Int], _ types: [CType], _ names: [String], _ header: Header
  ) -> Int? {
    guard pointers.count == 1, !Self.isConst(types[pointers[0]]), ["n", "len", "length"].contains(names[count]),
      types.indices.contains(count + 1), Self.isConst(types[count + 1]), counts[count + 1] == nil,
      Self.isBytes(types[count + 1], header),
      !(types.indices.contains(count + 2) && Self.isInteger(types[count + 2]) && Self.isCount(names[count + 2]))
    else { return nil }
    return count + 1
  }

  /// Adds the counts in attributes of the declaration: `__attribute__((access(read_only, 1, 2)))`.
  private mutating func note(_ accesses: [Header.Access], _ types: [CType], _ header: Header) {
    for access in accesses {
      guard types.indices.contains(access.pointer), types.indices.contains(access.count),
        Self.isInteger(types[access.count]), Self.isData(types[access.pointer], header),
        access.isWritten != Self.isConst(types[access.pointer])
      else { continue }
      counts[access.pointer] = access.count
    }
  }

  /// Finds counts that precede read-only data: `(size_t key_length, const uint8_t *key)`.
  private mutating func findBefore(_ types: [CType], _ names: [String], _ header: Header) {
    for index in types.indices.dropFirst() where counts[index] == nil && Self.isConst(types[index]) {
      let name = names[index - 1].lowercased()
      let isCounted = Self.isData(types[index], header) || Self.elements(types[index], header) == .structs
      guard isCounted, case .integer = types[index - 1], !counts.values.contains(index - 1),
        let ending = Self.endings.first(where: name.hasSuffix),
        name.dropLast(ending.count).filter({ $0 != "_" }) == names[index].lowercased().filter({ $0 != "_" })
      else { continue }
      counts[index] = index - 1
    }
  }

  /// Finds the sizes that follow text or bytes in a declaration without names: `(const char *, size_t)`,
  /// `(void *, size_t)`. Skips two sizes in a row, of which one may be the size of an element, and memory that the
  /// function frees.
  private mutating func findUnnamed(_ function: Header.Function, _ types: [CType], _ header: Header) {
    guard case .function(_, let declared, _)? = function.type, declared.count == types.count else { return }
    let isUnnamed = { (index: Int) in
      function.parameters.indices.contains(index) && (function.parameters[index].name ?? "").isEmpty
    }
    let isSize = { (index: Int) in
      declared.indices.contains(index) && header.isSize(declared[index]) && isUnnamed(index)
    }
    for index in types.indices where counts[index] == nil && isUnnamed(index) {
      let elements = Self.elements(types[index], header)
      let isCounted = Self.isConst(types[index]) && elements == .bytes || elements == .unknown
      guard isCounted, isSize(index + 1), !isSize(index + 2), !counts.values.contains(index + 1),
        Self.isConst(types[index]) || !ParameterNames.isDestroying(function: function.name)
      else { continue }
      counts[index] = index + 1
    }
  }

  /// Makes the only size that counts no other data the count of the bytes right before it that are read, under any
  /// name: `(void *dst, size_t dstCapacity, const void *src, size_t compressedSize)`.
  private mutating func findLast(_ types: [CType], _ names: [String], _ header: Header) {
    let numbers = types.indices.filter { Self.isInteger(types[$0]) && !counts.values.contains($0) }
    let sizes = numbers.filter { Self.isCount(names[$0]) || ParameterNames.mayCount(names[$0]) }
    guard let size = sizes.first, sizes.count == 1, size > 0, case .integer(false, 64) = types[size],
      Self.isCount(names[size]), !Self.countsElements(names[size]), counts[size - 1] == nil,
      Self.isConst(types[size - 1]), Self.isBytes(types[size - 1], header)
    else { return }
    counts[size - 1] = size
  }

  /// Makes the only integer the count of the only data, if it is right before them and they are bytes:
  /// `(ctx, size_t length, uint8_t *digest)`. Single structs and addresses of objects are not data.
  private mutating func findOnly(_ types: [CType], _ names: [String], _ header: Header) {
    let data = types.indices.filter {
      Self.isData(types[$0], header) || Self.elements(types[$0], header) != nil && ParameterNames.isPlural(names[$0])
    }
    let numbers = types.indices.filter { Self.isInteger(types[$0]) }
    guard data.count == 1, numbers.count == 1, data[0] == numbers[0] + 1, counts.isEmpty,
      case .integer(_, 8)? = Self.element(types[data[0]], header),
      ["length", "len"].contains(names[numbers[0]].lowercased())
    else { return }
    counts[data[0]] = numbers[0]
  }

  /// Returns the index of the parameter that counts the elements of parameter `index`.
  func count(of index: Int) -> Int? { counts[index] }

  /// Whether the parameter counts the elements of another.
  func isCount(_ index: Int) -> Bool { counts.values.contains(index) }

  /// Whether the parameter is the address of a count that the function changes.
  func isLengthAddress(_ index: Int) -> Bool { addresses.contains(index) }

  /// Returns the parameters directly before a count that are addresses of elements of one type: one parameter, or
  /// several read-only ones. Empty if the count's name does not fit theirs.
  private static func pointers(
    before count: Int, _ types: [CType], _ names: [String], _ header: Header, where isFree: (Int) -> Bool
  ) -> [Int] {
    var pointers: [Int] = []
    var index = count - 1
    while index >= 0, isFree(index), isData(types[index], header),
      element(types[index], header) == element(types[count - 1], header),
      // An output may be larger than the input, so the two do not share a count.
      pointers.isEmpty || isConst(types[index]) && isConst(types[count - 1])
    {
      pointers.append(index)
      index -= 1
    }
    guard let last = pointers.first, isName(names[count], ofCountOf: names[last]) else { return [] }
    // The address of one number that the function changes, not an array: `size_t *nmemb` before the size of an element.
    if case .integer(_, 32...)? = element(types[last], header), !isConst(types[last]),
      ParameterNames.isPlace(names[last]) || isCount(names[last]) && !ParameterNames.isPlural(names[last])
    {
      return []
    }
    // A `size` beside a name is that of the named object: PR_OpenSharedMemory(const char *name, PRSize size, ...).
    if element(types[last], header) == .char, isConst(types[last]), names[count].lowercased() == "size",
      !ParameterNames.isContent(names[last])
    {
      return []
    }
    // The count is the number of texts, not of their characters.
    if pointers.count > 1, element(types[last], header) == .char, countsElements(names[count]) { return [] }
    // The size of the elements behind a void * is unknown.
    if element(types[last], header) == .void, countsElements(names[count]) { return [] }
    // A text with an unlike name ends with NUL and is not counted: `(const char *tag, const char *value, int length)`.
    return element(types[last], header) != .char
      ? pointers : [last] + pointers.dropFirst().prefix { ParameterNames.areAlike(names[$0], names[last]) }
  }

  static let endings = [
    "len", "length", "size", "count", "capacity", "nelem", "items", "memb", "bytes", "byte", "chars",
    "sz",
  ]

  static func countsElements(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["cnt", "num"].contains(name) || ["count", "nelem", "items", "memb"].contains(where: name.hasSuffix)
  }

  private static func isCount(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["n", "nb", "sz", "cb", "cnt", "num"].contains(name) || endings.contains(where: name.hasSuffix)
  }

  /// Whether a name fits a count of `data`: `len`, `buflen` and `destLen` fit `dest`; `stream_size` does not.
  private static func isName(_ name: String, ofCountOf data: String) -> Bool {
    let name = name.lowercased()
    guard let ending = endings.first(where: name.hasSuffix) else { return true }
    let prefix = String(name.dropLast(ending.count).filter { $0 != "_" })
    let data = data.lowercased().filter { $0 != "_" }
    return ["", "n", "num", "max", "buf", "buffer", "data", "total", "used"].contains(prefix)
      || data.hasPrefix(prefix) || prefix.count > 2 && data.hasSuffix(prefix)
  }

  static func element(_ type: CType, _ header: Header) -> CType? {
    guard case .pointer(let target, _) = type else { return nil }
    return header.resolved(target)
  }

  /// Whether a function reads a capacity at the address of such a number. It only writes to an `int *`: OpenSSL and
  /// libtasn1 do so.
  private static func isCapacity(_ type: CType) -> Bool {
    isInteger(type) && type != .integer(isSigned: true, bits: 32)
  }

  static func isInteger(_ type: CType) -> Bool { if case .integer(_, 16...) = type { true } else { false } }
  static func isConst(_ type: CType) -> Bool { if case .pointer(_, true) = type { true } else { false } }

  /// Whether a type is the address of plain elements.
  static func isData(_ type: CType, _ header: Header) -> Bool {
    guard case .pointer(let target, _) = type else { return false }
    switch header.resolved(target) {
    case .char, .integer, .float: return true
    case .void: return !isHandle(target)
    default: return false
    }
  }

  /// Whether a type is the address of bytes that are not text.
  private static func isBytes(_ type: CType, _ header: Header) -> Bool {
    switch element(type, header) {
    case .integer(_, 8), .void: isData(type, header)
    default: false
    }
  }

  /// Whether a type is a typedef of `void`, such as `CURL`: its address is that of an object, not of data.
  static func isHandle(_ type: CType) -> Bool {
    if case .named(let name) = type { !name.lowercased().contains("void") } else { false }
  }
}
