/// The reason why a call failed: a bad argument, a function that was left without returning, a misused callback, or a
/// bad result. The description is made on demand.
enum CallFault {
  case tooMany
  case missing(Int)
  /// The argument's kind does not match its parameter's type.
  case wrongKind(Int)
  case outOfRange(Int)
  /// The cstr contains a NUL.
  case nul(Int)
  /// The promise was destroyed.
  case stale(Int)
  case noMemory
  /// A part of an argument does not match its type.
  case mismatch(Mismatch)
  /// A part of the result does not match the signature.
  case badOutput(Mismatch)

  case nullResult
  /// The bytes of a str or a cstr are not UTF-8.
  case resultNotUTF8
  case staleResult
  /// The bool is neither 0 nor 1.
  case badBool(UInt8)

  /// The length is larger than the address space.
  case wildLength

  /// The function was left without returning.
  case left(EdgeFault)
  /// A callback of the call was called with wrong arguments, or returned a wrong result.
  case callback(CallbackFault)
}

/// A fault with a description. A class, so that a CallFault is one word.
final class Mismatch: Sendable {
  /// The index of the argument; -1 if the fault is not about an argument.
  let index: Int
  let mismatch: ArgumentMismatch

  init(_ index: Int, _ mismatch: ArgumentMismatch) {
    self.index = index
    self.mismatch = mismatch
  }
}

/// The outcome of a call; its value or reason is stored where the caller asked for it.
enum CallOutcome {
  case fulfilled
  case rejected
  case fault(CallFault)
}
