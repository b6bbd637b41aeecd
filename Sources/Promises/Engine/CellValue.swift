/// A value or a reason as a cell stores it: the kind, and eight bytes.
///
/// The layout is that of `promise_value_t`, so a value crosses the C ABI without conversion. Kinds that own memory
/// refer to a *box*: a separate cell (Box.swift) whose index is in `box`; PROMISE refers to a promise by its token.
@usableFromInline
package struct CellValue: BitwiseCopyable {
  /// The kind, with the box in the upper half (all targets are little-endian). One word: two narrow stores that are
  /// read back as one wide load defeat store forwarding.
  @usableFromInline var head: UInt64
  @usableFromInline package var bits: UInt64

  @inlinable package init(kind: ValueKind, bits: UInt64 = 0, box: UInt32 = 0) {
    head = UInt64(box) << 32 | UInt64(kind.rawValue)
    self.bits = bits
  }

  @inlinable package var kind: UInt32 { UInt32(truncatingIfNeeded: head) }
  @inlinable package var box: UInt32 { UInt32(truncatingIfNeeded: head >> 32) }

  @inlinable package static var void: CellValue { CellValue(kind: .void) }

  @inlinable package var pointer: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: UInt(bits)) }

  /// Whether the kind owns memory or is unknown. Then a copy must be retained, and a value from outside must be
  /// validated.
  @inlinable package var isOwning: Bool { !isPlain }

  /// Whether the value is of a kind that never owns anything. One comparison; unlike `isPlain`, false for a plain
  /// DISCARDED.
  @inlinable package var isScalar: Bool { kind &- 1 < ValueKind.pointer.rawValue }

  /// Whether the value is of a known kind that owns nothing.
  @inlinable package var isPlain: Bool {
    isScalar || head == UInt64(ValueKind.discarded.rawValue)
  }
}

/// The numbers of `promise_kind_t`.
@usableFromInline
package struct ValueKind: Equatable {
  @usableFromInline package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  @inlinable package static var void: ValueKind { ValueKind(rawValue: 1) }
  @inlinable package static var bool: ValueKind { ValueKind(rawValue: 2) }
  @inlinable package static var i64: ValueKind { ValueKind(rawValue: 3) }
  @inlinable package static var u64: ValueKind { ValueKind(rawValue: 4) }
  @inlinable package static var f64: ValueKind { ValueKind(rawValue: 5) }
  @inlinable package static var pointer: ValueKind { ValueKind(rawValue: 6) }
  @inlinable package static var string: ValueKind { ValueKind(rawValue: 7) }
  @inlinable package static var bytes: ValueKind { ValueKind(rawValue: 8) }
  @inlinable package static var array: ValueKind { ValueKind(rawValue: 9) }
  @inlinable package static var map: ValueKind { ValueKind(rawValue: 10) }
  @inlinable package static var error: ValueKind { ValueKind(rawValue: 11) }
  @inlinable package static var discarded: ValueKind { ValueKind(rawValue: 12) }
  @inlinable package static var promise: ValueKind { ValueKind(rawValue: 13) }
  @inlinable package static var object: ValueKind { ValueKind(rawValue: 14) }
}

extension CellValue {
  /// Retains the box or promise that the value owns. False if it has too many references, or if the promise is
  /// destroyed because a program released a reference to it twice.
  package func retain() -> Bool {
    guard isOwning else { return true }
    guard kind == ValueKind.promise.rawValue else { return owner.retain() }
    return Token(bits: bits).cell(.promise)?.retain() ?? false
  }

  /// Releases the box or promise that the value owns. A no-op if a program released a reference to the promise twice:
  /// the cell may have another owner, and the last reference may be the settler's.
  package func release() {
    guard isOwning else { return }
    guard kind == ValueKind.promise.rawValue else { return owner.release() }
    _ = Token(bits: bits).cell(.promise)?.releaseHandleOfPromise()
  }

  /// The cell that an owning value refers to.
  package var owner: CellRef {
    CellRef(index: kind == ValueKind.promise.rawValue ? UInt32(bits & Token.indexMask) : box & Box.indexMask)
  }

  /// Validates a value from outside: the kind is known, and the cell it refers to is alive and of that kind.
  package var isWellFormed: Bool {
    if isPlain { return true }
    if kind == ValueKind.promise.rawValue { return Token(bits: bits).cell(.promise) != nil }
    return givenBox != nil
  }

  /// The box of a value from outside; nil if it has none or the value is malformed.
  package var givenBox: Box? {
    switch ValueKind(rawValue: kind) {
    case .string, .bytes, .array, .map, .error, .discarded, .object: Box(checking: self)
    default: nil
    }
  }

  /// The bytes of a text, bytes, an error's message or an object's payload from outside; nil for other kinds, or if the
  /// value is malformed.
  package var givenBytes: UnsafeRawBufferPointer? {
    guard let box = givenBox, box.kind != .array, box.kind != .map else { return nil }
    return unsafe box.bytes
  }
}
