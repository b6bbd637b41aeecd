extension TypePlan {
  /// Stores a value in C's representation. Referenced content is allocated in the arena.
  func store(
    _ value: PluginValue, at memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    switch form {
    case .scalar(let scalar): if !scalar.store(value, at: memory) { throw mismatch(value) }
    case .text(let isUTF8):
      try storeText(value, isUTF8, memory) { size throws(ArgumentMismatch) in try arena.allocate(size) }
    case .cstr:
      try storeString(value, memory) { size throws(ArgumentMismatch) in try arena.allocate(size) }
    case .pointer:
      let pointer = try pointer(value)
      if let object = pointer.object { try arena.use(object) }
      memory.storeBytes(of: pointer.address, as: UInt.self)
    case .fd:
      guard case .file(let file) = value else { throw mismatch(value) }
      memory.storeBytes(of: file.descriptor, as: Int32.self)
    case .object:
      let pointer = try pointer(value)
      if let object = pointer.object { try arena.take(object) }
      memory.storeBytes(of: pointer.address, as: UInt.self)
    case .structure(let fields): try storeObject(value, fields, memory, arena)
    case .union(let union, let members, let tag, let offset):
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
      if let index = union.index(tagged: try tag.value(at: memory + offset)) {
        try members[index].store(value, at: memory, arena)
      } else if value != .void {
        throw union.mismatch(value.name)
      }
    case .array(let element, let count):
      let given = try elements(of: value, element)
      guard given.count == count else {
        throw ArgumentMismatch(message: "has \(given.count) elements, expected \(count)")
      }
      try given.store(element, memory, arena)
    case .inlineText(let size):
      guard case .string(let text) = value else { throw mismatch(value) }
      try InlineText.store(text, size: size, at: memory)
    case .slice(let element):
      let given = try elements(of: value, element)
      let data = try arena.allocate(max(try size(of: given, element), element.layout.size))
      try given.store(element, data, arena)
      memory.storeBytes(of: data, as: UnsafeMutableRawPointer.self)
      memory.storeBytes(of: given.count, toByteOffset: 8, as: Int.self)
    case .terminated(let element): try storeTerminated(value, element, memory, arena)
    case .nullable where value == .void, .indirect where value == .void:
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
    case .nullable(let plan): try plan.store(value, at: memory, arena)
    case .indirect(let plan), .reference(let plan):
      let cell = try arena.allocate(plan.layout.size)
      try plan.store(value, at: cell, arena)
      memory.storeBytes(of: cell, as: UnsafeMutableRawPointer.self)
    case .owned(let plan, _): try plan.storeOwned(value, memory, arena)
    case .handle: throw mismatch(value)
    }
  }

  /// Stores the address of elements, followed by a zero. An element that is 0 would end the array before its end.
  private func storeTerminated(
    _ value: PluginValue, _ element: TypePlan, _ memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    let given = try elements(of: value, element)
    let size = element.layout.size
    let data = try arena.allocate(try self.size(of: given, element) + size)
    try given.store(element, data, arena)
    for index in 0..<given.count
    where UnsafeRawBufferPointer(start: data + index * size, count: size).allSatisfy({ $0 == 0 }) {
      throw ArgumentMismatch(path: "[\(index)]", message: "is 0, which ends the array, expected another number")
    }
    memory.storeBytes(of: data, as: UnsafeMutableRawPointer.self)
  }

  private func pointer(_ value: PluginValue) throws(ArgumentMismatch) -> PluginPointer {
    guard case .pointer(let pointer) = value, pointer.address != 0, type.takes(addressOf: pointer.name) else {
      throw mismatch(value)
    }
    guard !pointer.isHandle else {
      throw ArgumentMismatch(
        message: "is a handle of a plugin in a worker process, expected \(type.expectation) of this process; only that "
          + "worker can use it, unless both plugins are in-process (--isolation in-process)")
    }
    return pointer
  }

  /// Stores a value that the function must free.
  private func storeOwned(
    _ value: PluginValue, _ memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    switch form {
    case .text(let isUTF8):
      try storeText(value, isUTF8, memory) { size throws(ArgumentMismatch) in try arena.allocateOwned(size) }
    case .cstr: try storeString(value, memory) { size throws(ArgumentMismatch) in try arena.allocateOwned(size) }
    case .slice(let element):
      let given = try elements(of: value, element)
      let data = try arena.allocateOwned(try size(of: given, element))
      if let data { try given.store(element, data, arena) }
      memory.storeBytes(of: data, as: UnsafeMutableRawPointer?.self)
      memory.storeBytes(of: given.count, toByteOffset: 8, as: Int.self)
    default: throw mismatch(value)
    }
  }

  private func storeText(
    _ value: PluginValue, _ isUTF8: Bool, _ memory: UnsafeMutableRawPointer,
    _ allocate: (Int) throws(ArgumentMismatch) -> UnsafeMutableRawPointer?
  ) throws(ArgumentMismatch) {
    let count: Int
    let data: UnsafeMutableRawPointer?
    switch value {
    case .string(var text):
      count = text.utf8.count
      data = try allocate(count)
      if let data { text.withUTF8 { data.write(UnsafeRawBufferPointer($0)) } }
    case .bytes(let bytes) where !isUTF8:
      count = bytes.count
      data = try allocate(count)
      if let data { bytes.withUnsafeBytes { data.write($0) } }
    default: throw mismatch(value)
    }
    memory.storeBytes(of: data, as: UnsafeMutableRawPointer?.self)
    memory.storeBytes(of: count, toByteOffset: 8, as: Int.self)
  }

  private func storeString(
    _ value: PluginValue, _ memory: UnsafeMutableRawPointer,
    _ allocate: (Int) throws(ArgumentMismatch) -> UnsafeMutableRawPointer?
  ) throws(ArgumentMismatch) {
    guard case .string(var text) = value else { throw mismatch(value) }
    guard !text.utf8.contains(0) else { throw ArgumentMismatch(message: "contains a NUL, which would end the cstr") }
    let count = text.utf8.count
    guard let data = try allocate(count + 1) else { throw CallArena.noMemory }
    text.withUTF8 { data.write(UnsafeRawBufferPointer($0)) }
    data.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
    memory.storeBytes(of: data, as: UnsafeMutableRawPointer.self)
  }

  private func storeObject(
    _ value: PluginValue, _ fields: [Field], _ memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    guard case .object(let members) = value else { throw mismatch(value) }
    var found = 0
    var counts: [(field: Int, number: Int)] = []
    for (index, field) in fields.enumerated() {
      // Most objects have their members in the struct's order.
      let isInOrder = index < members.count && members[index].name == field.name
      let member = isInOrder ? members[index] : members.first { $0.name == field.name }
      if member != nil { found += 1 }
      var given = member?.value
      if given == nil { given = try self.value(ofTag: index, members) }
      if given == nil, fields.contains(where: { $0.count == index }) { continue }
      if given == nil, !field.plan.type.isOptional {
        throw ArgumentMismatch(path: ".\(field.name)", message: "is missing, expected \(field.plan.type.expectation)")
      }
      try converting(".\(field.name)") { () throws(ArgumentMismatch) in
        guard let count = field.count else {
          return try field.plan.store(given ?? .void, at: memory + field.offset, arena)
        }
        let span = try arena.allocate(16)
        try field.plan.store(given ?? .void, at: span, arena)
        memory.storeBytes(of: span.load(as: UInt.self), toByteOffset: field.offset, as: UInt.self)
        counts.append((count, span.load(fromByteOffset: 8, as: Int.self)))
      }
    }
    try storeCounts(counts, given: members, fields, memory, arena)
    guard found == members.count else {
      let other = members.first { member in !fields.contains { $0.name == member.name } }
      let names = fields.map(\.name).joined(separator: ", ")
      throw ArgumentMismatch(
        path: other.map { ".\($0.name)" } ?? "",
        message: "\(other == nil ? "has a field twice" : "is not a field"), expected \(names)")
    }
  }

  /// Stores the counts of a struct's elements, which an argument may leave out.
  private func storeCounts(
    _ counts: [(field: Int, number: Int)], given members: [PluginMember], _ fields: [Field],
    _ memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    for (index, number) in counts {
      let field = fields[index]
      let other = counts.first { $0.field == index && $0.number != number }.map { PluginValue.int(Int64($0.number)) }
      let given = other ?? members.first { $0.name == field.name }?.value
      if let given, given.tagBits != Int64(number) {
        throw ArgumentMismatch(
          path: ".\(field.name)", message: "is \(given.name), expected \(number), the number of the elements")
      }
      try converting(".\(field.name)") { () throws(ArgumentMismatch) in
        try field.plan.store(.int(Int64(number)), at: memory + field.offset, arena)
      }
    }
  }

  /// Returns the value of a tag that is not among the members: the one that chooses the given member of its union.
  private func value(ofTag index: Int, _ members: [PluginMember]) throws(ArgumentMismatch) -> PluginValue? {
    guard case .structure(let type) = type else { return nil }
    return try type.value(ofTag: type.fields[index]) { union in
      guard case .object(let given)? = members.first(where: { $0.name == union })?.value else { return nil }
      return given.first?.name
    }
  }

  func mismatch(_ value: PluginValue) -> ArgumentMismatch {
    ArgumentMismatch(message: "is \(value.name), expected \(type.expectation)")
  }
}

extension TypePlan {
  /// The elements of an argument.
  enum Elements {
    case values([PluginValue])
    case bytes([UInt8])

    var count: Int {
      switch self {
      case .values(let values): values.count
      case .bytes(let bytes): bytes.count
      }
    }

    /// Stores the elements consecutively.
    func store(
      _ element: TypePlan, _ memory: UnsafeMutableRawPointer, _ arena: CallArena
    ) throws(ArgumentMismatch) {
      switch self {
      case .bytes(let bytes):
        bytes.withUnsafeBytes { memory.write($0) }
      case .values(let values):
        let size = element.layout.size
        for (index, value) in values.enumerated() {
          try converting("[\(index)]") { () throws(ArgumentMismatch) in
            try element.store(value, at: memory + index * size, arena)
          }
        }
      }
    }
  }

  /// Returns the elements of an array, or bytes as elements of type u8.
  func elements(of value: PluginValue, _ element: TypePlan) throws(ArgumentMismatch) -> Elements {
    switch value {
    case .array(let values): return .values(values)
    case .bytes(let bytes) where element.type == .u8: return .bytes(bytes)
    case .string(let text) where element.type == .u8: return .bytes(Array(text.utf8))
    default: throw mismatch(value)
    }
  }

  func size(of elements: Elements, _ element: TypePlan) throws(ArgumentMismatch) -> Int {
    let (size, overflow) = elements.count.multipliedReportingOverflow(by: element.layout.size)
    if overflow { throw CallArena.noMemory }
    return size
  }
}

extension UnsafeMutableRawPointer {
  /// Copies the bytes to this address.
  func write(_ bytes: UnsafeRawBufferPointer) {
    if let source = bytes.baseAddress { copyMemory(from: source, byteCount: bytes.count) }
  }
}
