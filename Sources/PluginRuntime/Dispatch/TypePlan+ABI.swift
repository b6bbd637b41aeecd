import CPromise
import Glibc

extension TypePlan {
  /// Stores an argument given as a value of C. Content that the value owns is borrowed, not copied.
  func store(
    _ value: UnsafePointer<promise_value_t>, at memory: UnsafeMutableRawPointer, _ arena: CallArena
  ) throws(ArgumentMismatch) {
    let kind = Int(value.pointee.kind)
    switch form {
    case .nullable(let plan):
      if kind == PROMISE_KIND_VOID {
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
      } else {
        try plan.store(value, at: memory, arena)
        // The address of an empty text may be 0. Here that would be NULL, so the text gets another one.
        if memory.load(as: UInt.self) == 0, plan.type.isSpan {
          memory.storeBytes(of: try arena.allocate(0), as: UnsafeMutableRawPointer.self)
        }
      }
    case .indirect where kind == PROMISE_KIND_VOID: memory.storeBytes(of: 0, as: UInt.self)
    case .indirect(let plan), .reference(let plan):
      let cell = try arena.allocate(plan.layout.size)
      try plan.store(value, at: cell, arena)
      memory.storeBytes(of: cell, as: UnsafeMutableRawPointer.self)
    case .structure where isPlain, .array where isPlain:
      guard let source = try plainBytes(value) else { return try store(self.value(value), at: memory, arena) }
      memory.copyMemory(from: source, byteCount: layout.size)
    case .text, .slice, .cstr:
      guard let bytes = try span(value) else { return try store(self.value(value), at: memory, arena) }
      memory.storeBytes(of: bytes.data, as: UnsafeRawPointer?.self)
      if layout.size > MemoryLayout<UInt>.size { memory.storeBytes(of: bytes.count, toByteOffset: 8, as: Int.self) }
    default: try store(self.value(value), at: memory, arena)
    }
  }

  /// Returns the address and number of a value's elements, for str, bytes, cstr and slices of plain types; `nil` if the
  /// value does not have them in C's form.
  func span(_ value: UnsafePointer<promise_value_t>) throws(ArgumentMismatch) -> (data: UnsafeRawPointer?, count: Int)?
  {
    let kind = Int(value.pointee.kind)
    guard kind == PROMISE_KIND_STRING || kind == PROMISE_KIND_BYTES else { return nil }
    var length = 0
    let data = UnsafeRawPointer(promise_value_data(value, &length))
    // A forged value has no content; among valid values only empty BYTES has none.
    guard data != nil || kind == PROMISE_KIND_BYTES && value.pointee.as.ptr == nil else { return nil }
    switch form {
    case .text(let isUTF8) where !isUTF8 || kind == PROMISE_KIND_STRING: return (data, length)
    case .cstr where kind == PROMISE_KIND_STRING:
      guard let data, memchr(data, 0, length) == nil else {
        throw ArgumentMismatch(message: "contains a NUL, which would end the cstr")
      }
      return (data, length)
    case .slice(let element) where element.isPlain:
      guard kind == PROMISE_KIND_BYTES || element.type == .u8 else { return nil }
      guard length % element.layout.size == 0 else {
        throw ArgumentMismatch(message: "is \(length) bytes, expected a multiple of \(element.layout.size): \(type)")
      }
      return (data, length / element.layout.size)
    default: return nil
    }
  }

  /// Returns the C form of a struct or an array: the content of BYTES of its size, or the target of a POINTER.
  private func plainBytes(_ value: UnsafePointer<promise_value_t>) throws(ArgumentMismatch) -> UnsafeRawPointer? {
    switch Int(value.pointee.kind) {
    case Int(PROMISE_KIND_POINTER): return value.pointee.as.ptr.map { UnsafeRawPointer($0) }
    case Int(PROMISE_KIND_BYTES):
      var length = 0
      let data = promise_value_data(value, &length)
      guard length == layout.size else {
        throw ArgumentMismatch(message: "is \(length) bytes, expected the \(layout.size) of \(type)")
      }
      return UnsafeRawPointer(data)
    default: return nil
    }
  }

  /// Converts a value of C to Swift, as this type.
  ///
  /// - Throws: `ArgumentMismatch` if it does not fit.
  func value(_ value: UnsafePointer<promise_value_t>) throws(ArgumentMismatch) -> PluginValue {
    if let boxed = try ValueConversion.content(value) { return boxed }
    let kind = Int(value.pointee.kind)
    switch form {
    case .nullable(let plan), .indirect(let plan), .owned(let plan, _):
      return kind == PROMISE_KIND_VOID ? .void : try plan.value(value)
    case .reference(let plan): return try plan.value(value)
    case .pointer(let name), .object(let name, _, _):
      guard kind == PROMISE_KIND_POINTER, let address = value.pointee.as.ptr else { throw mismatch(value) }
      return .pointer(PluginPointer(name: name, address: UInt(bitPattern: address)))
    case .structure where kind == PROMISE_KIND_BYTES, .array where kind == PROMISE_KIND_BYTES:
      guard isPlain, let source = try plainBytes(value) else { throw mismatch(value) }
      return try load(source)
    case .slice(let element) where kind == PROMISE_KIND_BYTES && element.isPlain:
      guard let span = try span(value) else { throw mismatch(value) }
      guard let data = span.data else { return .array([]) }
      return try element.load(data, count: span.count)
    default: return try PluginValue(value)
    }
  }

  private func mismatch(_ value: UnsafePointer<promise_value_t>) -> ArgumentMismatch {
    ArgumentMismatch(message: "is \(value.pointee.nameOfContent), expected \(type.expectation)")
  }

  /// Converts a value to C. Plain types become BYTES in C's form, all others as in `promise_value_t(_:)`. The caller
  /// owns the reference.
  ///
  /// - Throws: `ArgumentMismatch` if the value does not fit.
  func abi(_ value: PluginValue) throws(ArgumentMismatch) -> promise_value_t {
    switch form {
    case .nullable(let plan), .indirect(let plan), .owned(let plan, _):
      if value == .void { break }
      return try plan.abi(value)
    case .reference(let plan): return try plan.abi(value)
    case .structure where isPlain, .array where isPlain:
      let arena = CallArena()
      let memory = try arena.allocate(layout.size)
      try store(value, at: memory, arena)
      return try Self.bytes(memory, layout.size, arena)
    case .slice(let element) where element.isPlain:
      let arena = CallArena()
      let given = try elements(of: value, element)
      let size = try size(of: given, element)
      let memory = try arena.allocate(size)
      try given.store(element, memory, arena)
      return try Self.bytes(memory, size, arena)
    default: break
    }
    guard let converted = promise_value_t(value) else { throw CallArena.noMemory }
    return converted
  }

  private static func bytes(
    _ memory: UnsafeRawPointer, _ size: Int, _ arena: CallArena
  ) throws(ArgumentMismatch) -> promise_value_t {
    var value = promise_value_t()
    let status = withExtendedLifetime(arena) { promise_value_bytes(&value, memory, size) }
    guard status == PROMISE_OK else { throw CallArena.noMemory }
    return value
  }
}
