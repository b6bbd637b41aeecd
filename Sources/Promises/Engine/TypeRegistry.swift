import CPlatform
import Synchronization

/// The types of values, by name: the built-in ones, one per kind, and the types that users register for their objects.
///
/// A type is a cell that is never freed.
///
///            state          value                             meta     next                     context   free
///   type     its methods    bits: the name, box: 1 built-in   parent   the next of its bucket   -         destroy
///
/// The table is made once, under the lock. Cells of types are immutable once they are in it, except for the links of
/// buckets, so lookups by index take no lock. Only methods (TypeMethods.swift) can be added later, once. The number of
/// buckets doubles when there are as many types.
package enum TypeRegistry {
  /// The address of the table; 0 until first used.
  private static let table = Atomic<UInt>(0)
  /// The address of the buckets, their number, which is a power of 2, and the number of types. Guarded by
  /// PLATFORM_LOCK_TYPES.
  private static let buckets = Atomic<UInt>(0)
  private static let bucketCount = Atomic<Int>(0)
  private static let typeCount = Atomic<Int>(0)
  private static var firstBucketCount: Int { 256 }
  private static var builtInCount: Int { 15 }

  /// The reason why a type cannot be registered.
  package enum Refusal: Error {
    case conflict, outOfMemory
  }

  /// The index of a built-in type; 0 when memory has run out.
  package static func builtIn(_ kind: ValueKind) -> UInt32 {
    guard let table = unsafe entries() else { return 0 }
    return unsafe table[Int(kind.rawValue)]
  }

  /// The index of the type of that name; 0 if there is none.
  package static func named(_ name: UnsafePointer<CChar>) -> UInt32 {
    guard unsafe entries() != nil else { return 0 }
    platform_lock(Int32(PLATFORM_LOCK_TYPES))
    defer { platform_unlock(Int32(PLATFORM_LOCK_TYPES)) }
    return unsafe find(name)
  }

  /// Registers a type, or finds the registered one. `parent` 0 stands for "object"; it also matches any parent of a
  /// type that is already registered.
  package static func register(
    _ name: UnsafePointer<CChar>, parent: UInt32, destroy: FreeFunction?
  ) -> Result<UInt32, Refusal> {
    guard let table = unsafe entries() else { return .failure(.outOfMemory) }
    platform_lock(Int32(PLATFORM_LOCK_TYPES))
    defer { platform_unlock(Int32(PLATFORM_LOCK_TYPES)) }
    let found = unsafe find(name)
    if found != 0 {
      return isBuiltIn(found) || (parent != 0 && parent != self.parent(found)) ? .failure(.conflict) : .success(found)
    }
    let object = unsafe table[Int(ValueKind.object.rawValue)]
    let error = unsafe table[Int(ValueKind.error.rawValue)]
    // An object can descend from an object or error type, but not from another built-in one such as a number or string.
    guard parent == 0 || parent == object || parent == error || !isBuiltIn(parent) else { return .failure(.conflict) }
    let added = unsafe add(name, parent: parent == 0 ? object : parent, destroy: destroy)
    return added == 0 ? .failure(.outOfMemory) : .success(added)
  }

  /// Whether a value is of that type or of one derived from it; 0: any type.
  package static func matches(_ value: CellValue, _ type: UInt32) -> Bool {
    if type == 0 { return true }
    var current = self.type(of: value)
    while current != 0 {
      if current == type { return true }
      current = parent(current)
    }
    return false
  }

  package static func type(of value: CellValue) -> UInt32 {
    value.kind == ValueKind.object.rawValue
      ? Box(value.owner).type : builtIn(ValueKind(rawValue: value.kind))
  }

  /// Whether a type is built in: it cannot be registered, and has no objects.
  package static func isBuiltIn(_ type: UInt32) -> Bool { CellRef(index: type).value.box != 0 }

  package static func name(_ type: UInt32) -> UnsafePointer<CChar>? {
    unsafe UnsafePointer(bitPattern: UInt(CellRef(index: type).value.bits))
  }

  static func parent(_ type: UInt32) -> UInt32 { CellRef(index: type).meta }
  static func destroy(_ type: UInt32) -> FreeFunction? { unsafe CellRef(index: type).contextFree }
}

extension TypeRegistry {
  /// The table, made on first use: the built-in types by kind, then the first buckets. Nil when memory has run out.
  private static func entries() -> UnsafeMutablePointer<UInt32>? {
    if let ready = unsafe UnsafeMutablePointer<UInt32>(bitPattern: table.load(ordering: .acquiring)) {
      return unsafe ready
    }
    platform_lock(Int32(PLATFORM_LOCK_TYPES))
    defer { platform_unlock(Int32(PLATFORM_LOCK_TYPES)) }
    if let ready = unsafe UnsafeMutablePointer<UInt32>(bitPattern: table.load(ordering: .acquiring)) {
      return unsafe ready
    }
    guard let memory = unsafe calloc(builtInCount + firstBucketCount, MemoryLayout<UInt32>.stride) else { return nil }
    let made = unsafe memory.assumingMemoryBound(to: UInt32.self)
    buckets.store(UInt(bitPattern: unsafe made + builtInCount), ordering: .relaxed)
    bucketCount.store(firstBucketCount, ordering: .relaxed)
    typeCount.store(0, ordering: .relaxed)
    for kind in 1..<UInt32(builtInCount) {
      let isError = kind == ValueKind.discarded.rawValue
      let parent = unsafe isError ? made[Int(ValueKind.error.rawValue)] : 0
      let name = builtInName(ValueKind(rawValue: kind))
      let added = name.withUTF8Buffer { text in
        unsafe text.withMemoryRebound(to: CChar.self) {
          unsafe add(permanent: $0.baseAddress.unsafelyUnwrapped, parent, nil, isBuiltIn: true)
        }
      }
      guard added != 0 else {
        unsafe forget(made)
        return nil
      }
      unsafe made[Int(kind)] = added
    }
    table.store(UInt(bitPattern: memory), ordering: .releasing)
    return unsafe made
  }

  /// Frees a table that was not published.
  private static func forget(_ made: UnsafeMutablePointer<UInt32>) {
    for kind in 1..<builtInCount {
      let type = unsafe made[kind]
      if type != 0 { CellRef(index: type).deallocate() }
    }
    unsafe platform_free(made)
  }

  private static func builtInName(_ kind: ValueKind) -> StaticString {
    switch kind {
    case .void: "void"
    case .bool: "bool"
    case .i64: "i64"
    case .u64: "u64"
    case .f64: "f64"
    case .pointer: "pointer"
    case .string: "string"
    case .bytes: "bytes"
    case .array: "array"
    case .map: "map"
    case .error: "error"
    case .discarded: "discarded"
    case .promise: "promise"
    default: "object"
    }
  }

  private static func find(_ name: UnsafePointer<CChar>) -> UInt32 {
    var type = unsafe bucket(name).pointee
    while type != 0 {
      if unsafe strcmp(self.name(type).unsafelyUnwrapped, name) == 0 { return type }
      type = CellRef(index: type).next
    }
    return 0
  }

  /// Adds a type with a copy of its name.
  private static func add(
    _ name: UnsafePointer<CChar>, parent: UInt32, destroy: FreeFunction?
  ) -> UInt32 {
    let size = unsafe Int(strlen(name)) + 1
    guard let copy = unsafe Permanent.allocate(size) else { return 0 }
    unsafe copy.copyMemory(from: name, byteCount: size)
    let type = unsafe add(permanent: copy.assumingMemoryBound(to: CChar.self), parent, destroy)
    if type != 0 { unsafe Permanent.keep(copy) } else { unsafe Permanent.free(copy) }
    return type
  }

  private static func add(
    permanent name: UnsafePointer<CChar>, _ parent: UInt32, _ destroy: FreeFunction?, isBuiltIn: Bool = false
  ) -> UInt32 {
    growIfFull()
    guard let ref = CellRef.allocate(.type, references: 1) else { return 0 }
    ref.value = CellValue(
      kind: .pointer, bits: UInt64(UInt(bitPattern: name)), box: isBuiltIn ? 1 : 0)
    ref.startState()
    ref.meta = parent
    unsafe ref.contextFree = unsafe destroy
    let bucket = unsafe bucket(name)
    ref.next = unsafe bucket.pointee
    unsafe bucket.pointee = ref.index
    typeCount.store(typeCount.load(ordering: .relaxed) + 1, ordering: .relaxed)
    return ref.index
  }

  /// Doubles the number of buckets if there are as many types. Without memory the chains become longer.
  private static func growIfFull() {
    let count = bucketCount.load(ordering: .relaxed)
    guard typeCount.load(ordering: .relaxed) >= count,
      let memory = unsafe calloc(count * 2, MemoryLayout<UInt32>.stride),
      let old = unsafe UnsafeMutablePointer<UInt32>(bitPattern: buckets.load(ordering: .relaxed))
    else { return }
    _ = unsafe memory.bindMemory(to: UInt32.self, capacity: count * 2)
    buckets.store(UInt(bitPattern: memory), ordering: .relaxed)
    bucketCount.store(count * 2, ordering: .relaxed)
    for index in 0..<count {
      for type in ReactionList(unsafe old[index]) {
        let bucket = unsafe bucket(name(type.index).unsafelyUnwrapped)
        type.next = unsafe bucket.pointee
        unsafe bucket.pointee = type.index
      }
    }
    // The first buckets are part of the table.
    if count > firstBucketCount { unsafe platform_free(old) }
  }

  /// The bucket of a name, by the hash FNV-1a.
  private static func bucket(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<UInt32> {
    var hash: UInt32 = 2_166_136_261
    var next = unsafe name
    while unsafe next.pointee != 0 {
      hash = unsafe (hash ^ UInt32(UInt8(bitPattern: next.pointee))) &* 16_777_619
      unsafe next += 1
    }
    let first = unsafe UnsafeMutablePointer<UInt32>(bitPattern: buckets.load(ordering: .relaxed)).unsafelyUnwrapped
    return unsafe first + (Int(hash) & (bucketCount.load(ordering: .relaxed) - 1))
  }
}
