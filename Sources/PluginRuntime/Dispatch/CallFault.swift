/// Why a call came to nothing before the function ran, or what is wrong with what it gave. Said in words only once
/// somebody asks.
enum CallFault {
  case tooMany
  case missing(Int)
  /// The argument's value is of a kind that does not suit its parameter's type.
  case wrongKind(Int)
  case outOfRange(Int)
  /// A cstr with a NUL in it.
  case nul(Int)
  /// A promise that does not exist any more.
  case stale(Int)
  case noMemory
  /// A part of an argument that does not suit its type.
  case mismatch(Mismatch)
  /// A part of what the function gave that is not what its signature says.
  case badOutput(Mismatch)

  case nullResult
  /// Bytes as a str, or as a cstr.
  case resultNotUTF8
  case staleResult
  /// A bool that is neither 0 nor 1.
  case badBool(UInt8)

  /// A length that is larger than memory.
  case wildLength

  /// The function did not return: it was left in another way.
  case left(EdgeFault)
  /// A callback of the call was called wrongly, or gave what it should not.
  case callback(CallbackFault)
}

/// A fault that takes more words. Its own object, so that a fault stays a word.
final class Mismatch: Sendable {
  /// The argument; -1 if it is about none.
  let index: Int
  let mismatch: ArgumentMismatch

  init(_ index: Int, _ mismatch: ArgumentMismatch) {
    self.index = index
    self.mismatch = mismatch
  }
}

/// How a call ended; its value or reason is where the caller wanted it.
enum CallOutcome {
  case fulfilled
  case rejected
  case fault(CallFault)
}
