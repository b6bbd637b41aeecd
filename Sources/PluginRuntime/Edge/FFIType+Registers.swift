@preconcurrency import CFFI

/// The registers of x86-64's calling convention, as far as needed to find the one kind of struct that libffi before
/// 3.4.7 passes incorrectly (its issue 574): two words, the first an integer, the second a floating-point number.
///
/// libffi copies both words to the place of the first word's register. If that is the sixth and last integer register,
/// the second word overwrites the first floating-point register, and an earlier argument in it is lost.
///
/// In registers, such a struct is only its two words. As two separate arguments they are passed in the same registers,
/// by every version of libffi.
extension FFIType {
  /// Returns the index of the argument that must be passed as two halves; `nil` if there is none. The sizes of the
  /// structs must be set.
  static func halved(_ types: [Reference], returning result: Reference) -> Int? {
    #if arch(x86_64)
    // A result in memory: its address is the first argument.
    var integers = result.pointee.size > 16 ? 1 : 0
    var floats = 0
    for (index, type) in types.enumerated() {
      // A value that does not fit in registers is passed in memory, and leaves them for the following arguments.
      guard let words = words(of: type) else { continue }
      let (moreIntegers, moreFloats) = (words.count { $0 == .integer }, words.count { $0 == .float })
      guard integers + moreIntegers <= 6, floats + moreFloats <= 8 else { continue }
      if words == [.integer, .float], integers == 5, floats > 0 { return index }
      integers += moreIntegers
      floats += moreFloats
    }
    #endif
    return nil
  }

  /// The two halves of such a struct, 8 bytes each.
  static var halves: [Reference] { [address(&ffi_type_uint64), address(&ffi_type_double)] }

  private enum Word { case integer, float }

  /// Returns the kind of register for each 8 bytes of a value; `nil` if it is passed in memory.
  private static func words(of type: Reference) -> [Word]? {
    guard type.pointee.size <= 16, !hasLongDouble(type) else { return nil }
    if Int32(type.pointee.type) == FFI_TYPE_VOID { return [] }
    var words = [Word](repeating: .float, count: (Int(type.pointee.size) + 7) / 8)
    findIntegers(in: type, at: 0, &words)
    return words
  }

  private static func hasLongDouble(_ type: Reference) -> Bool {
    if Int32(type.pointee.type) == FFI_TYPE_LONGDOUBLE { return true }
    guard Int32(type.pointee.type) == FFI_TYPE_STRUCT else { return false }
    var index = 0
    while let field = type.pointee.elements[index] {
      if hasLongDouble(field) { return true }
      index += 1
    }
    return false
  }

  /// Marks the words that contain an integer: they are passed in integer registers, even if they also contain a float.
  private static func findIntegers(in type: Reference, at offset: Int, _ words: inout [Word]) {
    switch Int32(type.pointee.type) {
    case FFI_TYPE_FLOAT, FFI_TYPE_DOUBLE: break
    case FFI_TYPE_STRUCT:
      var (end, index) = (offset, 0)
      while let field = type.pointee.elements[index] {
        let alignment = Int(field.pointee.alignment)
        let start = (end + alignment - 1) & ~(alignment - 1)
        findIntegers(in: field, at: start, &words)
        end = start + Int(field.pointee.size)
        index += 1
      }
    default: words[offset / 8] = .integer
    }
  }
}
