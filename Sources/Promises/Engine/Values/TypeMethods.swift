import CPlatform
import Synchronization

/// The methods of a registered type, except its destructor.
@safe
package struct TypeMethods {
  /// Whether two payloads are equal.
  package typealias Equal = @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> Bool
  /// Writes a description of a payload as UTF-8, in at most the given number of bytes, and returns the number written.
  package typealias Describe = @convention(c) (UnsafeRawPointer?, UnsafeMutablePointer<CChar>, Int) -> Int

  var equal: Equal?
  var describe: Describe?

  package init(equal: Equal?, describe: Describe?) {
    unsafe self.equal = unsafe equal
    unsafe self.describe = unsafe describe
  }
}

extension TypeRegistry {
  /// Sets the methods of a type, permanently; if it has methods already, they stay. False when memory has run out.
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

  /// The comparison method of a type, or of its nearest ancestor that has one.
  static func equal(_ type: UInt32) -> TypeMethods.Equal? {
    var current = type
    while current != 0 {
      if let equal = unsafe methods(current)?.pointee.equal { return unsafe equal }
      current = parent(current)
    }
    return nil
  }

  /// The description method of a type, or of its nearest ancestor that has one.
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
