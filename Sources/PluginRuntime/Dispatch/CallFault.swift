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

  case nullResult
  /// Bytes as a str, or as a cstr.
  case resultNotUTF8
  case staleResult

  /// The function did not return: it was left in another way.
  case left(EdgeFault)
}

/// How a call ended; its value or reason is where the caller wanted it.
enum CallOutcome {
  case fulfilled
  case rejected
  case fault(CallFault)
}
