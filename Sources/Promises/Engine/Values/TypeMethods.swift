import CPlatform
import Synchronization

/// What can be done with the objects of a type, besides destroying them.
@safe
package struct TypeMethods {
  /// Whether two payloads are equal.
  package typealias Equal = @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> Bool
  /// Writes what a payload is, as UTF-8, in at most so many bytes, and returns their number.
  package typealias Describe = @convention(c) (UnsafeRawPointer?, UnsafeMutablePointer<CChar>, Int) -> Int

  var equal: Equal?
  var describe: Describe?

  package init(equal: Equal?, describe: Describe?) {
    unsafe self.equal = unsafe equal
    unsafe self.describe = unsafe describe
  }
}

extension TypeRegistry {
  /// Gives a type its methods, for ever; if it has some, they stay. False for want of memory.
  package static func setMethods(_ type: UInt32, _ methods: TypeMethods) -> Bool {
    let cell = unsafe CellRef(index: type).cell
    guard unsafe cell.pointee.state.load(ordering: .relaxed) == 0 else { return true }
    guard let memory = unsafe Permanent.allocate(MemoryLayout<TypeMethods>.size) else { return false }
    unsafe memory.assumingMemoryBound(to: TypeMethods.self).initialize(to: methods)
    var current: UInt64 = 0
    while current == 0 {
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: 0, desired: UInt64(UInt(bitPattern: memory)), successOrdering: .releasing,
        failureOrdering: .relaxed)
      if exchanged {
        unsafe Permanent.keep(memory)
        return true
      }
      current = original
    }
    unsafe Permanent.free(memory)
    return true
  }

  /// How objects of a type are compared: as the type says, or its nearest ancestor that does.
  static func equal(_ type: UInt32) -> TypeMethods.Equal? {
    var current = type
    while current != 0 {
      if let equal = unsafe methods(current)?.pointee.equal { return unsafe equal }
      current = parent(current)
    }
    return nil
  }

  /// How objects of a type are described.
  static func describe(_ type: UInt32) -> TypeMethods.Describe? {
    var current = type
    while current != 0 {
      if let describe = unsafe methods(current)?.pointee.describe { return unsafe describe }
      current = parent(current)
    }
    return nil
  }

  private static func methods(_ type: UInt32) -> UnsafePointer<TypeMethods>? {
    unsafe UnsafePointer(
      bitPattern: UInt(CellRef(index: type).cell.pointee.state.load(ordering: .acquiring)))
  }
}
