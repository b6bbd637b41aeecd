import CPlatform

/// A value under construction. Its box has a kind that is not used for values; finish() changes it to the value's kind.
///
///             state    value                             meta       context
///   builder   count    kind | building, bits: capacity   capacity   bytes, elements, or a MapTable's memory
///
/// Not thread-safe: one caller at a time may use it.
package struct ValueBuilder {
  let box: Box
  init(_ ref: CellRef) { box = Box(ref) }

  private static var building: UInt32 { 0x100 }

  package enum Refusal { case wrongKind, outOfMemory }

  /// The builder of a token; nil if the token is not one of a builder.
  package init?(checking token: Token) {
    guard let ref = token.cell(.box), ref.value.kind & ValueBuilder.building != 0 else {
      return nil
    }
    box = Box(ref)
  }

  /// Makes a builder with capacity for elements, entries or bytes; nil when memory has run out.
  package init?(_ kind: ValueKind, capacity: Int) {
    guard let box = Box.make(ValueKind(rawValue: kind.rawValue | ValueBuilder.building), count: 0, meta: 0) else {
      return nil
    }
    self.box = box
    guard capacity == 0 || hasRoom(capacity) else {
      box.ref.release()
      return nil
    }
  }

  /// Makes a builder with the contents of a STRING, BYTES, ARRAY or MAP; nil when memory has run out.
  package static func copy(of source: Box) -> ValueBuilder? {
    guard let builder = ValueBuilder(source.kind, capacity: source.count) else { return nil }
    guard builder.isText ? unsafe builder.append(source.bytes) == nil : builder.addAll(of: source) else {
      builder.ref.release()
      return nil
    }
    return builder
  }

  private func addAll(of source: Box) -> Bool {
    for index in 0..<source.count {
      let element = unsafe source.elements[index]
      guard element.retain() else { return false }
      if kind == .array {
        guard add(element) == nil else { return false }
        continue
      }
      let key = source.key(index).owningValue
      guard key.retain() else {
        element.release()
        return false
      }
      guard set(key, element) == nil else { return false }
    }
    return true
  }

  package var kind: ValueKind { ValueKind(rawValue: box.kind.rawValue & ~ValueBuilder.building) }
  package var count: Int { box.count }
  package var ref: CellRef { box.ref }

  /// Appends to an ARRAY. Takes ownership of the element on every path.
  package func add(_ element: CellValue) -> Refusal? {
    guard kind == .array, hasRoom(1) else {
      element.release()
      return kind == .array ? .outOfMemory : .wrongKind
    }
    unsafe memory.assumingMemoryBound(to: CellValue.self)[count] = element
    box.count = count + 1
    return nil
  }

  /// Sets an entry of a MAP. Takes ownership of the key and the value on every path.
  package func set(_ key: CellValue, _ value: CellValue) -> Refusal? {
    guard kind == .map else {
      key.release()
      value.release()
      return .wrongKind
    }
    var table = MapTable(box)
    let replaced = table.set(key, value)
    table.store(in: box)
    guard let replaced else { return .outOfMemory }
    // Released last: it may run a destructor, which may use this builder.
    replaced.release()
    return nil
  }

  /// Appends to a STRING or BYTES.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Refusal? {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return isText ? nil : .wrongKind }
    // Bytes inside this builder may move when it grows.
    let place = unsafe UInt(bitPattern: source) &- UInt(bitPattern: text)
    let isOwn = unsafe isText && text != nil && place < UInt(capacity)
    guard let room = unsafe room(bytes.count) else { return isText ? .outOfMemory : .wrongKind }
    unsafe room.copyMemory(from: isOwn ? UnsafeRawPointer(memory + Int(place)) : source, byteCount: bytes.count)
    box.count = count + bytes.count
    return nil
  }

  /// Reserves space for at least `length` bytes behind the last byte of a STRING or BYTES, and returns its address; nil
  /// for another kind, or when memory has run out.
  package func room(_ length: Int) -> UnsafeMutableRawPointer? {
    guard isText, hasRoom(length) else { return nil }
    return unsafe memory + count
  }

  /// Adds bytes that were written behind the last byte. False if they exceed the capacity.
  package func advance(_ length: Int) -> Bool {
    guard isText, length >= 0, length <= capacity - count else { return false }
    box.count = count + length
    return true
  }

  /// Ends the builder, on every path, and returns the value. Needs no memory. Nil for a STRING that is not UTF-8 (see
  /// `isWellFormed`).
  package func finish() -> CellValue? {
    guard isWellFormed else {
      ref.release()
      return nil
    }
    if kind != .map { shrink() }
    if isText { return unsafe box.hold(kind, text, count: count) }
    ref.value = CellValue(kind: kind)
    unsafe ref.contextFree = nil
    return box.owningValue
  }

  /// Whether the contents are a valid value: a STRING must be UTF-8.
  package var isWellFormed: Bool {
    unsafe kind != .string || Text.isUTF8(UnsafeRawBufferPointer(start: text, count: count))
  }

  /// Frees the memory that the builder owns; the caller frees the cell.
  func free() {
    if kind == .array { for index in 0..<count { unsafe elements[index].release() } }
    if kind == .map { MapTable(box).release() }
    unsafe platform_free(box.memory)
  }
}

extension ValueBuilder {
  private var isText: Bool { kind == .string || kind == .bytes }
  private var text: UnsafeMutableRawPointer? { unsafe box.memory }
  private var memory: UnsafeMutableRawPointer { unsafe box.memory.unsafelyUnwrapped }
  private var elements: UnsafeMutablePointer<CellValue> { unsafe memory.assumingMemoryBound(to: CellValue.self) }
  private var capacity: Int {
    get { Int(truncatingIfNeeded: ref.value.bits) }
    nonmutating set { unsafe ref.cell.pointee.value.bits = UInt64(newValue) }
  }

  /// Reserves memory for more elements or bytes, and for a NUL after them.
  private func hasRoom(_ more: Int) -> Bool {
    if kind == .map {
      guard unsafe box.memory == nil, let table = MapTable(capacity: more) else { return false }
      table.store(in: box)
      return true
    }
    let size = isText ? 1 : MemoryLayout<CellValue>.stride
    if unsafe box.memory != nil && more <= capacity - count { return true }
    guard more < Int.max / 4 / size - count else { return false }
    let room = max(count + more, capacity * 2, isText ? 32 : 4)
    guard let larger = unsafe realloc(box.memory, room * size + (isText ? 1 : 0)) else { return false }
    unsafe box.memory = unsafe larger
    capacity = room
    return true
  }

  /// Frees the unused capacity.
  private func shrink() {
    guard count < capacity, unsafe box.memory != nil else { return }
    let size = isText ? count + 1 : count * MemoryLayout<CellValue>.stride
    if size == 0 {
      unsafe platform_free(box.memory)
      unsafe box.memory = nil
    } else if let smaller = unsafe realloc(box.memory, size) {
      unsafe box.memory = unsafe smaller
    }
  }
}
