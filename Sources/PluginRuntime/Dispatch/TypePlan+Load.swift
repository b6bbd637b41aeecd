import Glibc

extension TypePlan {
  /// Loads a value from C's memory. Owned memory is freed, also on failure.
  ///
  /// - Throws: `ArgumentMismatch`, worded as for an argument: "is NULL, expected a string".
  ///
  /// - Parameter sources: the objects and the memory that a loaded object keeps alive.
  func load(_ memory: UnsafeRawPointer, from sources: [any ObjectSource] = []) throws(ArgumentMismatch) -> PluginValue {
    switch form {
    case .scalar(let scalar): return try scalar.value(at: memory)
    case .text(let isUTF8):
      let bytes = try span(memory, size: 1)
      guard isUTF8 else { return .bytes([UInt8](bytes)) }
      guard let text = String(copying: bytes) else { throw Self.notUTF8 }
      return .string(text)
    case .cstr:
      guard let data = address(memory) else { throw nullError }
      let bytes = UnsafeRawBufferPointer(start: data, count: strlen(data))
      guard let text = String(copying: bytes) else { throw Self.notUTF8 }
      return .string(text)
    case .pointer(let name):
      guard let data = address(memory) else { throw nullError }
      return .pointer(PluginPointer(name: name, address: UInt(bitPattern: data)))
    case .fd: return .file(try OpenFile(taking: memory.load(as: Int32.self)))
    case .structure(let fields):
      var members: [PluginMember] = []
      members.reserveCapacity(fields.count)
      for field in fields {
        let value = try converting(".\(field.name)") { () throws(ArgumentMismatch) in
          guard let count = field.count else { return try field.plan.load(memory + field.offset) }
          return try field.plan.loadSpan(memory + field.offset, fields[count].plan.type, memory + fields[count].offset)
        }
        members.append(PluginMember(field.name, value))
      }
      return .object(members)
    case .union(let union, let members, let tag, let offset):
      guard let index = union.index(tagged: try tag.value(at: memory + offset)) else { return .void }
      return try members[index].load(memory)
    case .array(let element, let count): return try element.load(memory, count: count)
    case .inlineText(let size): return .string(try InlineText.load(memory, size: size))
    case .slice(let element):
      let bytes = try span(memory, size: element.layout.size)
      guard let data = bytes.baseAddress else { return .array([]) }
      return try element.load(data, count: bytes.count / element.layout.size)
    case .terminated(let element):
      guard let data = address(memory) else { throw nullError }
      return try element.load(data, count: element.countToZero(data))
    case .nullable(let plan): return address(memory) == nil ? .void : try plan.load(memory, from: sources)
    case .indirect where address(memory) == nil: return .void
    case .indirect(let plan), .reference(let plan):
      guard let cell = address(memory) else { throw nullError }
      return try plan.load(cell)
    case .owned(let plan, let function):
      let loaded = Result { () throws(ArgumentMismatch) in try plan.load(memory) }
      let fault = release(memory, with: function)
      let value = try loaded.get()
      if let fault { throw fault }
      return value
    case .object(let name, let destructor?, let objects?):
      guard let data = address(memory) else { throw nullError }
      let object = objects.own(UInt(bitPattern: data), named: name, destructor, from: sources)
      return .pointer(PluginPointer(name: name, address: UInt(bitPattern: data), reference: object))
    case .object, .handle: throw ArgumentMismatch(message: "cannot be read")
    }
  }

  /// Loads a span from an address and a count, which lie in different places.
  func loadSpan(
    _ memory: UnsafeRawPointer, _ countType: ValueType, _ count: UnsafeRawPointer
  ) throws(ArgumentMismatch) -> PluginValue {
    guard let number = countType.scalar?.integer(at: count) else {
      throw ArgumentMismatch(message: "has a count that is out of range, expected one from 0 to the size of memory")
    }
    let arena = CallArena()
    let span = try arena.allocate(16)
    span.storeBytes(of: memory.load(as: UInt.self), as: UInt.self)
    span.storeBytes(of: number, toByteOffset: 8, as: Int.self)
    defer { withExtendedLifetime(arena) {} }
    return try load(span)
  }

  /// Loads `count` consecutive values.
  func load(_ memory: UnsafeRawPointer, count: Int) throws(ArgumentMismatch) -> PluginValue {
    var values: [PluginValue] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      values.append(
        try converting("[\(index)]") { () throws(ArgumentMismatch) in try load(memory + index * layout.size) })
    }
    return .array(values)
  }

  /// Counts the values before the first that is NULL, or 0.
  private func countToZero(_ memory: UnsafeRawPointer) -> Int {
    let size = layout.size
    var count = 0
    while !UnsafeRawBufferPointer(start: memory + count * size, count: size).allSatisfy({ $0 == 0 }) { count += 1 }
    return count
  }

  /// Frees the owned memory of an out parameter without reading it, or closes its file.
  func discard(_ memory: UnsafeRawPointer) {
    switch form {
    // A second fault is ignored: the call has failed already.
    case .owned(_, let function): _ = release(memory, with: function)
    case .object(let name, let destructor?, let objects?):
      if let data = address(memory) { objects.discard(UInt(bitPattern: data), named: name, destructor) }
    case .fd: _ = try? OpenFile(taking: memory.load(as: Int32.self))
    case .nullable(let plan): plan.discard(memory)
    default: break
    }
  }

  /// Frees the memory whose address is stored at `memory`, with the host's allocator if `function` is `nil`. Returns a
  /// mismatch if `function` does not return.
  private func release(_ memory: UnsafeRawPointer, with function: Destructor?) -> ArgumentMismatch? {
    guard let data = UnsafeMutableRawPointer(mutating: address(memory)) else { return nil }
    guard let function else {
      HostMemory.free(data)
      return nil
    }
    guard case .left(let fault)? = function.destroy(UInt(bitPattern: data)) else { return nil }
    return ArgumentMismatch(message: "was not freed: \(function.name)() \(fault.message)")
  }

  private func address(_ memory: UnsafeRawPointer) -> UnsafeRawPointer? { memory.load(as: UnsafeRawPointer?.self) }

  /// Loads the address and count of a span, and checks that memory can be that large.
  private func span(_ memory: UnsafeRawPointer, size: Int) throws(ArgumentMismatch) -> UnsafeRawBufferPointer {
    let data = address(memory)
    let count = memory.load(fromByteOffset: 8, as: Int.self)
    guard count != 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    guard data != nil else { throw nullError }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    guard count > 0, !overflow, bytes < 1 << 47 else {
      throw ArgumentMismatch(message: "has a length of \(UInt(bitPattern: count)), beyond the size of memory")
    }
    return UnsafeRawBufferPointer(start: data, count: bytes)
  }

  private var nullError: ArgumentMismatch { ArgumentMismatch(message: "is NULL, expected \(type.expectation)") }
  static let notUTF8 = ArgumentMismatch(message: "is not UTF-8")
}

extension String {
  /// Copies text of a plugin; `nil` if it is not UTF-8. The copy is checked, because a thread of the plugin may change
  /// the text meanwhile.
  init?(copying bytes: UnsafeRawBufferPointer) { self.init(validating: [UInt8](bytes), as: UTF8.self) }
}
