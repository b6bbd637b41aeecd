import CPlatform
import Synchronization

/// The reference-counted cell behind a value that owns memory.
///
///            state     value                     meta      function   context         free
///   string   length    kind                      owned     -          the bytes       -
///   bytes    length    kind                      inline    [ up to 24 bytes, in place of the last three ]
///            length    kind                      foreign   ctx        the bytes       free_ctx
///   array    count     kind                      -         -          the elements    -
///   map      count     kind                      capacity  -          MapTable.swift  -
///   error    length    kind, bits: the code      -         domain     the message     its ErrorOrigin, if any
///   object   -         kind                      type      ctx        the payload     free_ctx, or destroy, whose
///                                                                                     ctx is the payload
///   discarded  -       kind                      -         [ the cause      ]         -
///   builder  ValueBuilder.swift
///
/// Bytes of a string, and an error's domain and message, are followed by a NUL; an error's two texts share one
/// allocation. Except for builders a box is immutable once the value is made, so values refer only to older values:
/// without promises they form no reference cycle.
package struct Box {
  let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }

  /// Validates the box of a value from outside; nil if the value does not denote a live box.
  package init?(checking value: CellValue) {
    let index = value.box & Box.indexMask
    guard index != 0, UInt64(index) < Slab.committed.load(ordering: .relaxed) else { return nil }
    ref = CellRef(index: index)
    let life = ref.life
    guard life & Life.kindMask == CellKind.box.rawValue << Life.kindShift, value.box == number,
      ref.value.kind == value.kind, unsafe value.bits == UInt64(UInt(bitPattern: data))
    else { return nil }
  }

  /// The bytes of a string or bytes, an array's elements, a map's values, an error's message, an object's payload.
  package var data: UnsafeMutableRawPointer? {
    unsafe isInline ? inlineBytes : kind == .discarded ? nil : memory
  }

  /// The length in bytes of a text, the number of elements or entries of a collection; 0 for an object.
  package internal(set) var count: Int {
    get { unsafe Int(ref.cell.pointee.state.load(ordering: .relaxed)) }
    nonmutating set { unsafe ref.cell.pointee.state.store(UInt64(newValue), ordering: .relaxed) }
  }
  package var errorCode: Int64 { Int64(bitPattern: ref.value.bits) }
  package var errorDomain: UnsafePointer<CChar>? {
    unsafe UnsafePointer(ref.function?.assumingMemoryBound(to: CChar.self))
  }
  package var type: UInt32 { ref.meta }
  /// The memory that `context` points to.
  var memory: UnsafeMutableRawPointer? {
    get { unsafe ref.contextPointer }
    nonmutating set { unsafe ref.contextPointer = unsafe newValue }
  }
  /// The context of foreign memory or of an object.
  private var outerContext: Context {
    get { unsafe Context(ref.function, ref.contextFree) }
    nonmutating set { unsafe (ref.function, ref.contextFree) = unsafe (newValue.pointer, newValue.free) }
  }

  package var kind: ValueKind { ValueKind(rawValue: ref.value.kind) }
  /// The memory at `data`; valid for a string or bytes.
  package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: data, count: count) }

  // Values of `meta`: the place of a string's or bytes' memory; 0: an allocation of its own.
  private static var inline: UInt32 { 1 }
  private static var foreign: UInt32 { 2 }
  private var place: UInt32 {
    get { ref.meta }
    nonmutating set { ref.meta = newValue }
  }
  private var isText: Bool { ref.value.kind &- ValueKind.string.rawValue <= 1 }
  private var isInline: Bool { isText && place == Box.inline }
  private static var inlineOffset: Int { 40 }
  private static var inlineCapacity: Int { 24 }
  private var inlineBytes: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(ref.cell) + Box.inlineOffset }

  static func make(_ kind: ValueKind, count: Int, meta: UInt32, bits: UInt64 = 0) -> Box? {
    guard let ref = CellRef.allocate(.box, references: 1) else { return nil }
    let box = Box(ref)
    box.count = count
    ref.value = CellValue(kind: kind, bits: bits)
    ref.meta = meta
    unsafe ref.function = nil
    ref.reactionContext = unsafe Context(nil, nil)
    return box
  }

  /// The value that denotes the box. The caller provides a reference for it.
  var owningValue: CellValue { unsafe CellValue(kind: kind, bits: UInt64(UInt(bitPattern: data)), box: number) }

  static var indexMask: UInt32 { 0x0fff_ffff }

  /// The number by which values refer to the box: its index, and four bits of its generation. A stale copy of a value
  /// is thus distinguished from the box that recycled the cell, fifteen times out of sixteen.
  private var number: UInt32 {
    let life = ref.life
    return ref.index | UInt32(truncatingIfNeeded: life >> Life.generationShift) << 28
  }
}

// Constructors of values. Each returns a new reference, or nil when memory has run out.
extension Box {
  /// Makes a STRING or BYTES with a copy of the bytes.
  package static func bytes(_ kind: ValueKind, _ source: UnsafeRawBufferPointer) -> CellValue? {
    guard source.count < Int.max else { return nil }
    let size = source.count + 1
    let isInline = size <= inlineCapacity
    guard let box = make(kind, count: source.count, meta: isInline ? inline : 0) else { return nil }
    guard unsafe !source.isEmpty || kind == .string else {
      box.place = 0
      return box.owningValue
    }
    if !isInline {
      guard let memory = unsafe malloc(size) else {
        box.ref.deallocate()
        return nil
      }
      unsafe box.memory = unsafe memory
    }
    let bytes = unsafe box.data.unsafelyUnwrapped
    unsafe copy(source, to: bytes)
    return box.owningValue
  }

  /// Makes a STRING or BYTES with memory from `malloc` that has space for a NUL. Takes ownership of the memory on every
  /// path.
  static func bytes(_ kind: ValueKind, takingOver memory: UnsafeMutableRawPointer?, count: Int) -> CellValue? {
    guard let box = make(kind, count: count, meta: 0) else {
      unsafe platform_free(memory)
      return nil
    }
    return unsafe box.hold(kind, memory, count: count)
  }

  /// Turns the box, which has no contents, into a STRING or BYTES with such memory. Cannot fail: it allocates nothing.
  func hold(_ kind: ValueKind, _ memory: UnsafeMutableRawPointer?, count: Int) -> CellValue {
    self.count = count
    ref.value = CellValue(kind: kind)
    let isInline = count < Box.inlineCapacity && (count > 0 || kind == .string)
    place = isInline ? Box.inline : 0
    if isInline || count == 0 {
      unsafe self.memory = nil
      if isInline { unsafe Box.copy(UnsafeRawBufferPointer(start: memory, count: count), to: inlineBytes) }
      unsafe platform_free(memory)
    } else {
      unsafe memory.unsafelyUnwrapped.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
      unsafe self.memory = unsafe memory
    }
    return owningValue
  }

  /// Makes a BYTES that refers to foreign memory. Releasing the context notifies the owner that the memory is no longer
  /// used. When memory has run out, the context is released at once.
  package static func bytes(foreign source: UnsafeRawBufferPointer, _ context: Context) -> CellValue? {
    guard let box = make(.bytes, count: source.count, meta: foreign) else {
      context.release()
      return nil
    }
    unsafe box.memory = source.isEmpty ? nil : unsafe UnsafeMutableRawPointer(mutating: source.baseAddress)
    box.outerContext = context
    return box.owningValue
  }

  /// Makes an ERROR with copies of its texts.
  package static func error(
    domain: UnsafeBufferPointer<UInt8>, code: Int64, message: UnsafeBufferPointer<UInt8>
  ) -> CellValue? {
    guard let memory = unsafe malloc(domain.count + message.count + 2) else { return nil }
    guard let box = make(.error, count: message.count, meta: 0, bits: UInt64(bitPattern: code)) else {
      unsafe platform_free(memory)
      return nil
    }
    unsafe copy(UnsafeRawBufferPointer(message), to: memory)
    unsafe copy(UnsafeRawBufferPointer(domain), to: memory + message.count + 1)
    unsafe box.memory = unsafe memory
    unsafe box.ref.function = unsafe memory + message.count + 1
    return box.owningValue
  }

  /// Makes an OBJECT around a payload, destroyed by the type's destructor. When memory has run out, the payload is
  /// destroyed.
  package static func object(type: UInt32, _ payload: UnsafeMutableRawPointer?) -> CellValue? {
    unsafe object(type: type, payload, Context(payload, TypeRegistry.destroy(type)))
  }

  /// Makes an OBJECT around a payload; the last release of the value releases the context. When memory has run out, the
  /// context is released at once.
  package static func object(
    type: UInt32, _ payload: UnsafeMutableRawPointer?, _ context: Context
  ) -> CellValue? {
    guard let box = make(.object, count: 0, meta: type) else {
      context.release()
      return nil
    }
    unsafe box.memory = unsafe payload
    box.outerContext = context
    return box.owningValue
  }

  private static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    if let start = source.baseAddress, source.count > 0 {
      unsafe target.copyMemory(from: start, byteCount: source.count)
    }
    unsafe target.storeBytes(of: 0, toByteOffset: source.count, as: UInt8.self)
  }

  /// Frees the memory that the box owns; the caller frees the cell.
  func free() {
    switch kind {
    case .string, .bytes:
      if place == Box.inline { return }
      if place == Box.foreign { return outerContext.release() }
    case .object: return outerContext.release()
    case .array: freeElements()
    case .map: MapTable(self).release()
    case .error: freeOrigin()
    case .discarded: return unsafe discardCause.pointee.release()
    default: return ValueBuilder(ref).free()
    }
    unsafe platform_free(memory)
  }
}
