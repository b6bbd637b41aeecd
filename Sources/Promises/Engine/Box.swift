import CPlatform
import Synchronization

/// The cell behind a value that owns memory, which counts who shares it.
///
///            state     value                     meta      function   context         free
///   string   length    kind                      -         -          the bytes       -
///            length    kind                      inline    [ up to 24 bytes, in place of the last three ]
///   error    length    kind, bits: the code      -         domain     the message     -
///   object   -         kind                      type      -          the payload     destroy
///   discarded   -      kind, bits: the cause's   -         the cause's kind and box   -
///
/// Bytes of a string, and an error's domain and message, have a NUL after them; an error's two share one allocation.
package struct Box {
  let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }

  /// The box of a value that came from outside, if it is one that was given out.
  package init?(checking value: CellValue) {
    let index = value.box & Box.indexMask
    guard index != 0, UInt64(index) < Slab.committed.load(ordering: .relaxed) else { return nil }
    ref = CellRef(index: index)
    let life = unsafe ref.cell.pointee.life.load(ordering: .relaxed)
    guard life & Life.kindMask == CellKind.box.rawValue << Life.kindShift, value.box == number,
      unsafe ref.cell.pointee.value.kind == value.kind, unsafe value.bits == UInt64(UInt(bitPattern: data))
    else { return nil }
  }

  /// The bytes of a string or bytes, an error's message, an object's payload.
  package var data: UnsafeMutableRawPointer? {
    unsafe ref.cell.pointee.meta == Box.inline && ref.cell.pointee.value.kind != ValueKind.object.rawValue
      ? inlineBytes : ref.cell.pointee.context
  }

  /// The length in bytes of what `data` points to; 0 for an object.
  package var count: Int { unsafe Int(ref.cell.pointee.state.load(ordering: .relaxed)) }
  package var errorCode: Int64 { unsafe Int64(bitPattern: ref.cell.pointee.value.bits) }
  package var errorDomain: UnsafePointer<CChar>? {
    unsafe UnsafePointer(ref.cell.pointee.function?.assumingMemoryBound(to: CChar.self))
  }
  package var type: UInt32 { unsafe ref.cell.pointee.meta }

  private static var inline: UInt32 { 1 }
  private static var inlineOffset: Int { 40 }
  private static var inlineCapacity: Int { 24 }
  private var inlineBytes: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(ref.cell) + Box.inlineOffset }

  static func make(_ kind: ValueKind, count: Int, meta: UInt32, bits: UInt64 = 0) -> Box? {
    guard let ref = CellRef.allocate(.box, references: 1) else { return nil }
    unsafe ref.cell.pointee.state.store(UInt64(count), ordering: .relaxed)
    unsafe ref.cell.pointee.value = CellValue(kind: kind, bits: bits)
    unsafe ref.cell.pointee.meta = meta
    unsafe ref.cell.pointee.function = nil
    unsafe ref.cell.pointee.context = nil
    unsafe ref.cell.pointee.free = nil
    return Box(ref)
  }

  var owningValue: CellValue {
    unsafe CellValue(
      kind: ValueKind(rawValue: ref.cell.pointee.value.kind), bits: UInt64(UInt(bitPattern: data)), box: number)
  }

  static var indexMask: UInt32 { 0x0fff_ffff }

  /// How values refer to the box: its index, and four bits of its generation, so that a copy of a value that outlived
  /// the box is told from the box that took its place, fifteen times of sixteen.
  private var number: UInt32 {
    let life = unsafe ref.cell.pointee.life.load(ordering: .relaxed)
    return ref.index | UInt32(truncatingIfNeeded: life >> Life.generationShift) << 28
  }
}

// Making values. Each is a new reference, or nil when memory has run out.
extension Box {
  /// A STRING or BYTES with a copy of the bytes.
  package static func bytes(_ kind: ValueKind, _ source: UnsafeRawBufferPointer) -> CellValue? {
    guard source.count < Int.max else { return nil }
    let size = source.count + 1
    let isInline = size <= inlineCapacity
    guard let box = make(kind, count: source.count, meta: isInline ? inline : 0) else { return nil }
    guard unsafe !source.isEmpty || kind == .string else {
      unsafe box.ref.cell.pointee.meta = 0
      return box.owningValue
    }
    if !isInline {
      guard let memory = unsafe malloc(size) else {
        box.ref.deallocate()
        return nil
      }
      unsafe box.ref.cell.pointee.context = unsafe memory
    }
    let bytes = unsafe box.data.unsafelyUnwrapped
    unsafe copy(source, to: bytes)
    return box.owningValue
  }

  /// An ERROR with copies of its texts.
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
    unsafe box.ref.cell.pointee.context = unsafe memory
    unsafe box.ref.cell.pointee.function = unsafe memory + message.count + 1
    return box.owningValue
  }

  /// An OBJECT around a payload. When memory has run out, the payload is destroyed.
  package static func object(type: UInt32, _ payload: UnsafeMutableRawPointer?) -> CellValue? {
    let destroy = unsafe TypeRegistry.destroy(type)
    guard let box = make(.object, count: 0, meta: type) else {
      if let destroy = unsafe destroy { unsafe destroy(payload) }
      return nil
    }
    unsafe box.ref.cell.pointee.context = unsafe payload
    unsafe box.ref.cell.pointee.free = unsafe destroy
    return box.owningValue
  }

  private static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    if let start = source.baseAddress, source.count > 0 {
      unsafe target.copyMemory(from: start, byteCount: source.count)
    }
    unsafe target.storeBytes(of: 0, toByteOffset: source.count, as: UInt8.self)
  }

  /// Frees what the box owns; the cell itself is its caller's to free.
  func free() {
    if unsafe ref.cell.pointee.value.kind == ValueKind.object.rawValue {
      ref.reactionContext.release()
    } else if unsafe ref.cell.pointee.value.kind == ValueKind.discarded.rawValue {
      cause.release()
    } else if unsafe ref.cell.pointee.meta != Box.inline {
      unsafe platform_free(ref.cell.pointee.context)
    }
  }
}
