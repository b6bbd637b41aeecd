@preconcurrency import CFFI

/// What x86-64's calling convention passes in registers, as far as it takes to find the one struct that libffi before
/// 3.4.7 passes wrongly (its issue 574): two words, the first an integer's, the second a floating-point number's.
///
/// libffi copies both words to where it keeps the register of the first. If that is the sixth and last register for
/// integers, the second word ends up as the first register for floating-point numbers, and what an earlier argument has
/// there is lost.
///
/// In registers such a struct is nothing but its two words. As two arguments they go to the very same ones, whatever
/// libffi's version.
extension FFIType {
  /// Which of these arguments has to be passed as its two halves; `nil` if none has. The sizes of structs are filled in.
  static func halved(_ types: [Reference], returning result: Reference) -> Int? {
    #if arch(x86_64)
    // A result in memory: its address is the first argument.
    var integers = words(of: result) == nil ? 1 : 0
    var floats = 0
    for (index, type) in types.enumerated() {
      // What has no room in registers goes to memory whole, and leaves them to those that follow.
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

  /// The halves of such a struct, 8 bytes each.
  static var halves: [Reference] { [address(&ffi_type_uint64), address(&ffi_type_double)] }

  private enum Word { case integer, float }

  /// The kinds of registers that a value takes, one for each 8 bytes; `nil` if it is passed in memory.
  private static func words(of type: Reference) -> [Word]? {
    guard type.pointee.size <= 16 else { return nil }
    if Int32(type.pointee.type) == FFI_TYPE_VOID { return [] }
    var words = [Word](repeating: .float, count: (Int(type.pointee.size) + 7) / 8)
    findIntegers(in: type, at: 0, &words)
    return words
  }

  /// A word with an integer in it is an integer's, whatever else it holds.
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
