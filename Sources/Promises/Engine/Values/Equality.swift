import CPlatform
import Synchronization

/// A deep comparison of two values, with an explicit stack instead of recursion.
///
/// Values refer only to older ones, so the comparison terminates. Shared values may be reachable through exponentially
/// many paths. So each pair of shared values is compared once: if it were unequal, so would be the result.
package struct Equality {
  package enum Answer { case equal, unequal, outOfMemory }

  /// Two collections, or errors with causes, that are equal so far.
  private struct Frame: BitwiseCopyable {
    var one: UInt32
    var other: UInt32
    /// The element to compare next.
    var index: Int
  }

  private var stack = RawStack<Frame>()
  private var seen = DisjointSets()

  package static func compare(_ one: CellValue, _ other: CellValue) -> Answer {
    var equality = Equality()
    defer {
      equality.stack.free()
      equality.seen.free()
    }
    return equality.run(one, other)
  }

  private mutating func run(_ one: CellValue, _ other: CellValue) -> Answer {
    var answer = look(one, other)
    while answer == .equal, !stack.isEmpty {
      let frame = stack[stack.count - 1]
      let (one, other) = (Box(CellRef(index: frame.one)), Box(CellRef(index: frame.other)))
      guard frame.index < (one.hasCause ? 1 : one.count) else {
        _ = stack.pop()
        continue
      }
      stack[stack.count - 1].index += 1
      guard let pair = self.pair(one, other, frame.index) else { return .unequal }
      answer = look(pair.one, pair.other)
    }
    return answer
  }

  /// Returns the elements of two boxes at an index, or their values of the same key; nil if `other` has none.
  private func pair(_ one: Box, _ other: Box, _ index: Int) -> (one: CellValue, other: CellValue)? {
    switch one.kind {
    case .error, .discarded:
      guard let cause = unsafe one.cause, let otherCause = unsafe other.cause else { return nil }
      return unsafe (cause.pointee, otherCause.pointee)
    case .map:
      guard let value = unsafe other.find(one.key(index).bytes) else { return nil }
      return unsafe (one.elements[index], value.pointee)
    default: return unsafe (one.elements[index], other.elements[index])
    }
  }

  /// Compares two values except for their elements; pushes a frame for the elements.
  private mutating func look(_ one: CellValue, _ other: CellValue) -> Answer {
    if one.isPlain && other.isPlain { return Equality.isEqual(plain: one, other) ? .equal : .unequal }
    guard one.kind == other.kind, one.isPlain == other.isPlain else { return .unequal }
    if one.kind == ValueKind.promise.rawValue { return one.owner == other.owner ? .equal : .unequal }
    let (box, otherBox) = (Box(one.owner), Box(other.owner))
    if box.ref == otherBox.ref { return .equal }
    if box.kind == .object { return isEqual(objects: box, otherBox) ? .equal : .unequal }
    guard box.count == otherBox.count else { return .unequal }
    switch box.kind {
    case .array, .map: return box.count == 0 ? .equal : push(box, otherBox)
    case .discarded: return push(box, otherBox)
    case .error:
      guard box.errorCode == otherBox.errorCode, unsafe Equality.isEqual(box.bytes, otherBox.bytes),
        unsafe strcmp(box.errorDomain.unsafelyUnwrapped, otherBox.errorDomain.unsafelyUnwrapped) == 0,
        unsafe (box.cause == nil) == (otherBox.cause == nil)
      else { return .unequal }
      return unsafe box.cause == nil ? .equal : push(box, otherBox)
    default: return unsafe Equality.isEqual(box.bytes, otherBox.bytes) ? .equal : .unequal
    }
  }

  private mutating func push(_ one: Box, _ other: Box) -> Answer {
    if one.isShared && other.isShared {
      switch seen.unite(one.ref.index, other.ref.index) {
      case true?: break
      case false?: return .equal
      case nil: return .outOfMemory
      }
    }
    return stack.push(Frame(one: one.ref.index, other: other.ref.index, index: 0)) ? .equal : .outOfMemory
  }

  private func isEqual(objects one: Box, _ other: Box) -> Bool {
    guard one.type == other.type, let equal = unsafe TypeRegistry.equal(one.type) else { return false }
    return unsafe equal(one.data, other.data)
  }

  private static func isEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = one.baseAddress, let otherStart = other.baseAddress else { return one.count == other.count }
    return unsafe one.count == other.count && memcmp(start, otherStart, one.count) == 0
  }

  private static func isEqual(plain one: CellValue, _ other: CellValue) -> Bool {
    switch (ValueKind(rawValue: one.kind), ValueKind(rawValue: other.kind)) {
    case (.f64, .f64):
      let (a, b) = (Double(bitPattern: one.bits), Double(bitPattern: other.bits))
      return a == b || a.isNaN && b.isNaN
    case (.bool, .bool): return (one.bits & 0xff != 0) == (other.bits & 0xff != 0)
    // An i64 and a u64 are equal if their bits are, and the top bit, the sign of the i64, is clear.
    case (.i64, .u64), (.u64, .i64): return one.bits == other.bits && one.bits >> 63 == 0
    case (.void, .void), (.discarded, .discarded): return true
    case (let kind, let otherKind): return kind == otherKind && one.bits == other.bits
    }
  }
}

extension Box {
  /// Whether the kind has a cause in place of elements.
  fileprivate var hasCause: Bool { kind == .error || kind == .discarded }

  /// Whether several references to the box exist.
  fileprivate var isShared: Bool {
    ref.life & Life.referencesMask > 1
  }
}
